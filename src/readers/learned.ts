/**
 * Up to which version of each program the rules of its reader were learned: what a compaction leaves, what is sent and not
 * recorded. The newest version among the transcripts that they were measured on (2026-11); the forms of newer records may be
 * read for all that. A row changes when its reader is measured on newer transcripts.
 */
import type { Reader } from './reader.ts'

export interface Learned {
  /** The program, as the readers name it. */
  readonly program: NonNullable<Reader['program']>
  readonly version: string
  /** The package that it is published as. */
  readonly package: string
  /** The month in which they were learned: `2026-11`. */
  readonly on: string
}

export const learned: readonly Learned[] = [
  { program: 'claude-code', version: '2.1.232', package: '@anthropic-ai/claude-code', on: '2026-11' },
  { program: 'codex', version: '0.144.1', package: '@openai/codex', on: '2026-11' },
  { program: 'copilot-cli', version: '1.0.79', package: '@github/copilot', on: '2026-11' },
  { program: 'opencode', version: '1.18.9', package: 'opencode-ai', on: '2026-11' },
]
