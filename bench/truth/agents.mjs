/**
 * Do the policies that follow an agent act where that agent acted? Each transcript with a recorded compaction is replayed
 * under the policy of its agent, with the window of its model, and each recorded compaction is held against the nearest
 * one of the policy.
 *
 *   npm run build && node bench/truth/agents.mjs FOLDER…
 */
import { fileURLToPath } from 'node:url'
import { firstCell } from '../../dist/app/plan.js'
import { readSources } from '../../dist/app/read-sources.js'
import { choose, estimators, lookupModel, policies } from '../../dist/index.js'
import { simulateOne } from '../../dist/simulator/simulate.js'
import { filesIn, quantile, sourcesOf, table, unread } from './transcripts.mjs'

export const title = 'Where agents really compacted'

const estimator = choose(estimators.get('auto'))
const near = [1, 3, 10]

/** Up to this version Claude Code kept the whole largest answer free. */
const wholeAnswer = [2, 1, 20]

function isUpTo(version, other) {
  const parts = (version ?? '').split('.').map(Number)
  for (let at = 0; at < other.length; at++) if (parts[at] !== other[at]) return (parts[at] ?? 0) < other[at]
  return true
}

/** The largest request that was recorded. */
function peakOf(trace) {
  let peak = 0
  for (let request = 0; request < trace.requests; request++) peak = Math.max(peak, trace.usage(request)?.input ?? 0)
  return peak
}

/** Of a tool result that was cleared, as opposed to what was taken back or only left the context. */
const isCleared = (blocks) => blocks[0]?.type === 'text' && blocks[0].text === '[Old tool result content cleared]'

/** What a transcript's agent does, by format. */
const agents = {
  'claude-code': (trace) => {
    const window = peakOf(trace) > 200_000 ? 1_000_000 : 200_000
    const reserve = isUpTo(trace.head.version, wholeAnswer) ? 32_000 : 20_000
    const threshold = window - reserve - 13_000
    return [
      { policy: choose(policies.get('claude-code-auto'), { reserve }), window, threshold, recorded: trace.compactions },
      {
        policy: choose(policies.get('claude-code-microcompact'), { reserve }),
        window,
        threshold: threshold - 20_000,
        recorded: trace.clearings.filter(({ left }) => [...left.values()].every(isCleared)),
      },
    ]
  },
  codex: (trace) => {
    const window = trace.head.model ? (lookupModel(trace.head.model)?.contextWindow ?? 272_000) : 272_000
    const usual = Math.min(window, 272_000)
    return [
      {
        policy: choose(policies.get('codex-compact')),
        window: usual,
        threshold: 0.9 * usual,
        recorded: trace.compactions,
      },
    ]
  },
  opencode: (trace) => agentOf(trace, 'opencode-compact', 20_000),
  pi: (trace) => agentOf(trace, 'pi-compact', 16_384),
}

function agentOf(trace, name, reserve) {
  const window = (trace.head.model && lookupModel(trace.head.model)?.contextWindow) || 200_000
  return [{ policy: choose(policies.get(name)), window, threshold: window - reserve, recorded: trace.compactions }]
}

/** The request that stands behind message `at`. */
function requestAfter(trace, at) {
  let request = 0
  while (request < trace.requests && trace.requestAt(request) < at) request++
  return request
}

/** No agent compacts below this percentage of where it acts: the transcripts that did are tests, written by hand. */
const leastShare = 1

/** The compactions of one transcript: how many requests the policy's nearest one is away, and the usage before. */
function compared(trace) {
  return (agents[trace.head.format]?.(trace) ?? []).flatMap(({ policy, window, threshold, recorded }) => {
    if (recorded.length === 0) return []
    const plan = { policies: [policy], estimators: [estimator], budgets: [window], references: false }
    const acts = actsOf(trace, plan)
    const acted = [...acts.keys()]
    const rows = recorded.map(({ at, left }) => {
      const request = requestAfter(trace, at)
      const usage = request > 0 ? trace.usage(request - 1) : null
      const away = acted.map((one) => one - request).sort((a, b) => Math.abs(a) - Math.abs(b))[0] ?? null
      const cleared = acts.get(request + away) ?? new Set()
      return {
        policy: policy.plugin.name,
        away,
        share: usage ? (100 * (usage.input + usage.output)) / threshold : null,
        results: left?.size ?? 0,
        found: [...(left?.keys() ?? [])].filter((index) => cleared.has(index)).length,
      }
    })
    return rows.filter(({ share }) => share === null || share >= leastShare)
  })
}

/** The requests before which the policy made the window smaller, each with the messages whose content it replaced. */
function actsOf(trace, plan) {
  const acts = new Map()
  let before = 0
  let replaced = 0
  const request = ({ index, fullTokens, sentTokens }, window) => {
    const saved = fullTokens - sentTokens
    const edited = window.presence?.replaced ?? []
    if (saved > before + 1000) acts.set(index, new Set(edited.slice(replaced)))
    before = saved
    replaced = edited.length
  }
  simulateOne(firstCell(trace, plan), [{ request }])
  return acts
}

/** @returns Markdown */
export async function section(files) {
  const plan = {
    policies: [choose(policies.get('claude-code-auto'))],
    estimators: [estimator],
    budgets: [1],
    references: false,
  }
  const all = []
  const take = (trace, copyOf) => (copyOf === null ? compared(trace) : [])
  for await (const { taken } of readSources(sourcesOf(files), plan, {}, take, unread)) all.push(...taken)
  const rows = [...grouped(all)].map(([policy, list]) => {
    const within = (requests) => list.filter(({ away }) => away !== null && Math.abs(away) <= requests).length
    const shares = list.flatMap(({ share }) => (share === null ? [] : [share]))
    return [
      `\`${policy}\``,
      list.length,
      ...near.map(within),
      list.filter(({ away }) => away === null).length,
      ...[0, 0.5, 1].map((part) => quantile(shares, part)?.toFixed(1) ?? '-'),
    ]
  })
  return [
    'Each transcript with a compaction or a clearing that its agent did itself is replayed under the policy that follows that\n',
    'agent, from its beginning, with the window of its model; after the first one the policy goes on from its own window, which\n',
    'is not the agent’s. `within` says how many recorded ones have one of the policy’s at most so many requests away; `usage` is\n',
    'what the provider counted with the response before, in percent of what the policy acts at.\n\n',
    table([
      [
        'policy',
        'recorded',
        ...near.map((requests) => `within ${requests}`),
        'policy never acts',
        'usage least',
        'median',
        'most',
      ],
      ...rows,
    ]),
    `\nOf the ${sum(all, 'results')} tool results that were recorded as cleared, the policy's nearest act clears ${sum(all, 'found')}.\n\n`,
    '- **May be claimed:** where Claude Code compacts and clears on its own: the threshold to a few hundred tokens, the cut to a few\n',
    '  requests, and which results it clears.\n',
    '- **How sure:** sessions of 2.0.76 to 2.1.38, all of one repository, with windows of 200,000. A compaction that the user asked for\n',
    '  (`/compact`) is not marked in them and counts as any other.\n',
    '- **May not be claimed:** where Codex compacts. It adds an estimate of the reasoning that the provider dropped, which is\n',
    '  encrypted, and taken out of these transcripts; the policy cannot count it, and acts later than it did.\n',
  ].join('')
}

const sum = (list, key) => list.reduce((total, one) => total + one[key], 0)

function grouped(all) {
  const groups = new Map()
  for (const one of all) groups.set(one.policy, [...(groups.get(one.policy) ?? []), one])
  return groups
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await section(filesIn(process.argv.slice(2))))
