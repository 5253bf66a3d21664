/** The laws of the page, on a few files; report.slow.test.ts has them on all. */
import { reportLaws } from './report-laws.ts'

reportLaws(
  [
    'claude-code/refactor.jsonl',
    'claude-code/compaction.jsonl',
    'claude-code/moorings.jsonl',
    'claude-code/started-agents.jsonl',
    'codex/compaction.jsonl',
    'openai-chat/tools.jsonl',
  ].map((name) => `fixtures/${name}`),
)
