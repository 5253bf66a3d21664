/** What the laws of policies are asked of: every policy, with its defaults and with params for short transcripts. */
import { type Params, resolveParams } from '../../src/base/param.ts'
import { compose } from '../../src/policies/compose.ts'
import { policies } from '../../src/policies/index.ts'
import { type Policy, type RestartableRun, started } from '../../src/policies/policy.ts'

/** Params that have an effect on transcripts of a few dozen messages; the defaults suit long sessions. */
const small: Readonly<Record<string, Readonly<Record<string, unknown>>[]>> = {
  'cap-messages': [{ max: 6 }, { max: 9, target: 0.5 }],
  'drop-oldest': [{ keepLast: 2 }, { target: 0.5 }, { on: 'exchange' }],
  'drop-steps': [{ scope: 'all' }, { target: 0.5 }],
  'truncate-tool-results': [{ max: 20 }, { max: 9, keep: 'tail' }, { max: 30, keep: 'both' }],
  'mask-tool-results': [
    { keepFirst: 1, keepLast: 1 },
    { keepFirst: 1, keepLast: 1, scope: 'all' },
    { keepFirst: 0, keepLast: 2, scope: 'all', when: 'over', target: 0.7 },
  ],
  'summarise-oldest': [{ tokens: 30 }, { tokens: 20, target: 0.5 }],
  'actor-window': [{ limit: 7 }],
  'render-budget': [{ maxHistoryTokens: 150, maxOutputTokens: 10 }],
  'claude-code-auto': [
    { window: 13_400, reserve: 0, summaryTokens: 30 },
    { window: 13_700, reserve: 0, summaryTokens: 30, microcompact: 'count' },
  ],
  'claude-code-auto-bare': [{ window: 13_400, reserve: 0, summaryTokens: 30 }],
  'codex-compact': [
    { userTokens: 30, summaryTokens: 30 },
    { limit: 200, summaryTokens: 10 },
    { limit: 100, scope: 'body_after_prefix', summaryTokens: 10 },
  ],
  'codex-compact-local': [{ userTokens: 30, summaryTokens: 30 }],
  'codex-reset': [{ limit: 200 }],
  'copilot-compact': [{ summaryTokens: 20 }, { background: 0.5, exhausted: 0.6, seconds: 100, summaryTokens: 20 }],
  'gemini-compress': [{ summaryTokens: 20 }],
  'gemini-context-management': [{ retained: 100, mask: 10, drafts: 20, summaryTokens: 20 }],
  'gemini-mask': [{ protect: 100, least: 60 }],
  'opencode-prune': [{ protect: 100, least: 60, exchanges: 1 }],
  'opencode-compact': [{ reserve: 50, tail: 60, summaryTokens: 20 }],
  'kilo-compact': [
    { reserve: 50, tail: 60, summaryTokens: 20 },
    { reserve: 50, percent: 60, tail: 60, summaryTokens: 20 },
  ],
  'opencode-compact-v2': [{ reserve: 50, keep: 15, summaryTokens: 20 }],
  'pi-compact': [{ reserve: 50, keep: 60, summaryTokens: 20 }],
  'pi-compact-turns': [{ reserve: 50, keep: 60, summaryTokens: 20 }],
  'cline-truncate': [{ keep: 'half' }, { keep: 'quarter' }],
  'cline-basic': [{ maxInput: 250 }],
  'roo-truncate': [{ maxOutput: 10 }, { maxOutput: 10, condense: true, summaryTokens: 20 }],
  'openhands-condense': [{ maxSize: 10, summaryTokens: 20 }],
  'openhands-mask': [{ attentionWindow: 4 }],
  'swe-agent-last-n': [{ n: 2 }, { n: 2, polling: 3 }],
  'mini-swe-ingest': [{ most: 20 }],
  'goose-auto': [{ summaryTokens: 20 }],
  'goose-tool-pairs': [{ cutoff: 1, summaryTokens: 5 }],
  'crush-auto': [{ summaryTokens: 20 }],
  'continue-auto': [{ maxOutput: 10, summaryTokens: 20 }],
  'aider-summary': [{ limit: 200, summaryTokens: 20 }],
  'letta-sliding': [{ summaryTokens: 20 }],
  'hermes-compact': [{ limit: 100, summaryTokens: 20 }],
  exchange: [{ keepLast: 2 }],
  forge: [
    { retentionWindow: 2, summaryTokens: 20 },
    { messageThreshold: 8, summaryTokens: 20, retentionWindow: 0 },
  ],
  'forge-literal': [
    { retentionWindow: 2, summaryTokens: 20 },
    { messageThreshold: 8, summaryTokens: 20 },
  ],
  'forge-pr616': [
    { retentionWindow: 2, summaryTokens: 20 },
    { messageThreshold: 8, summaryTokens: 20 },
  ],
  'forge-shipped': [
    { messageThreshold: 12, retentionWindow: 3 },
    { onTurnEnd: true, turnThreshold: 3 },
  ],
  mimir: [{ minTurns: 0 }, { minTurns: 1, threshold: 0.5 }],
  duragent: [{ maxHistoryTokens: 200, maxOutputTokens: 10, maxToolResultTokens: 20, keepFirst: 1, keepLast: 1 }],
  'duragent-shipped': [
    { maxHistoryTokens: 200, maxOutputTokens: 10, maxToolResultTokens: 20, keepFirst: 1, keepLast: 1 },
  ],
  'langchain-trim': [
    { startOn: 'human' },
    { startOn: 'human', endOn: 'human+tool', includeSystem: true, allowPartial: true },
    { strategy: 'first', endOn: 'ai', allowPartial: true },
  ],
  'langchain-clear-tool-uses': [{ keep: 1, clearInputs: true }, { language: 'python' }],
  'langchain-summarize': [
    { keep: 4, summaryTokens: 20 },
    { keepTokens: 100, summaryTokens: 20 },
  ],
  'deepagents-summarize': [
    { summaryTokens: 20, arguments: 20, tools: 'read', results: 20, prompts: 20 },
    { trigger: 0.5, keep: 0.4, summaryTokens: 20 },
  ],
  'anthropic-clear-tool-uses': [
    { keep: 1, clearInputs: true },
    { keep: 1, state: 'sticky', clearAtLeast: 50 },
  ],
  'openai-truncation': [{ from: 'middle' }, { retain: 0.5 }],
  'openai-compact': [{ summaryTokens: 20 }, { summaryTokens: 20, keep: 'user' }],
  'anthropic-compact': [{ summaryTokens: 20 }],
  'openai-tool-trimmer': [{ recentTurns: 1, maxChars: 100, previewChars: 10 }],
  'strands-window': [{ windowSize: 4 }, { windowSize: 2, truncateResults: false }],
  'mastra-limiter': [{ mode: 'contiguous' }],
  'mastra-observational': [{ keep: 0.5 }, { compression: 2, notes: 60 }],
  'autogen-buffered': [{ bufferSize: 4 }],
  'autogen-head-tail': [{ head: 2, tail: 3 }],
  'semantic-kernel-truncate': [{ target: 4 }, { target: 4, threshold: 3 }],
  'spring-window': [{ max: 4 }, { max: 4, snap: false }],
  'adk-truncate': [{ threshold: 4, preserveLeading: 2 }],
  'adk-token': [{ retain: 3, summaryTokens: 20 }],
  knobs: [
    { trigger: 'always', unit: 'result', protect: 'first:1+last:2', operation: 'mask', target: 'all' },
    { unit: 'exchange', protect: 'last:2', operation: 'summarise:20', target: 'watermark:0.5', repair: 'whole' },
    { unit: 'batch', order: 'middle', text: '[{units} gone]' },
    {
      trigger: 'every:3/work:900',
      unit: 'pair',
      order: 'best-fit',
      protect: 'user+tail:60:1',
      repair: 'missing+results',
    },
    { unit: 'step', order: 'newest', protect: 'past+last:1', target: 'fraction:0.5+quantise:2' },
    { state: 'view', unit: 'result', operation: 'offload+clear-inputs', protect: 'unseen', target: 'all+least:100' },
    { trigger: 'messages:9', protect: 'system', target: 'keep:5', repair: 'pairs+user' },
    { measure: 'usage', protect: 'nothing', target: 'all' },
    { state: 'view', unit: 'result', protect: 'nothing', operation: 'mask', target: 'all' },
    { measure: 'latest', protect: 'nothing', target: 'all' },
    { trigger: 'always', unit: 'result', protect: 'nothing', operation: 'dedupe', target: 'all' },
    { unit: 'step', protect: 'last:1', operation: 'strip' },
    { trigger: 'pays:40:1/over', unit: 'step', protect: 'last:1', target: 'value:90+watermark:0.5', order: 'value' },
    { trigger: 'pays:9', unit: 'message', protect: 'last:2', operation: 'strip+drop-thinking', target: 'stay:2:1:0' },
  ],
  'vercel-prune': [
    { toolCalls: 'all', reasoning: 'all' },
    { toolCalls: 'before-last-1-messages', tools: 'read' },
  ],
}

const composed = [
  compose('composed', [
    { truncateToolResults: { max: 40 } },
    { maskToolResults: { keepFirst: 1, keepLast: 1 } },
    { dropOldest: { keepLast: 1, target: 0.5 } },
    'insertNotice',
  ]),
  compose('composed-pairs', ['dropMessages', 'keepPairs']),
  compose('composed-snap', [{ capMessages: { max: 7 } }, 'snapToUser', 'keepPairs']),
]

export interface Subject {
  readonly name: string
  /** The defaults suit long sessions, and others are in `small`: on short transcripts most of these policies do nothing. */
  readonly rests: boolean
  readonly policy: Policy
  readonly values: Readonly<Record<string, unknown>>
}

export const subjects: Subject[] = [...policies.all, ...composed].flatMap((policy) =>
  [{}, ...(small[policy.name] ?? [])].map((given) => ({
    name: [policy.name, ...Object.entries(given).map(([key, value]) => `${key}=${value}`)].join(' '),
    rests: policy.name in small && Object.keys(given).length === 0,
    policy,
    values: resolveParams<Params>(policy.name, policy.params, given),
  })),
)

export function start(policy: Policy, values: Subject['values']): RestartableRun {
  return started(
    { plugin: policy, values },
    {
      model: 'claude-sonnet-4-5',
      cwd: null,
      systemMessages: 1,
      compactions: [],
      clearings: [],
      recounts: [],
    },
  )
}
