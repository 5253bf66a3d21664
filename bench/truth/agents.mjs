/**
 * Do the policies that follow an agent act where that agent acted? Each transcript with a recorded compaction is replayed
 * under the policy of its agent, with the window of its model, and each recorded compaction is held against the nearest
 * one of the policy.
 *
 *   npm run build && node bench/truth/agents.mjs [FOLDER…]
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readSources } from '../../dist/app/files/read-sources.js'
import { choose, estimators, lookupModel, policies } from '../../dist/app/index.js'
import { firstCell } from '../../dist/app/plan.js'
import { simulateOne } from '../../dist/simulator/simulate.js'
import { byVersion, grouped, groupHead, isFrom, originOf } from './groups.mjs'
import { filesIn, quantile, sourcesOf, table, unread } from './transcripts.mjs'

export const title = '## Where agents really compacted'

const estimator = choose(estimators.get('auto'))
const near = [1, 3, 10]

/** From this version on Claude Code keeps at most 20,000 tokens free for the answer, before it the whole largest answer. */
const shortAnswer = [2, 1, 21]

/** The window that Codex records is this share of the model's, of which it compacts at nine tenths. */
const recordedShare = 0.95

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
    const { version } = trace.head
    const reserve = version && !isFrom(version, shortAnswer) ? 32_000 : 20_000
    const threshold = window - reserve - 13_000
    const clearings = trace.clearings.filter(({ left }) => [...left.values()].every(isCleared))
    return [
      { policy: choose(policies.get('claude-code-auto'), { reserve }), window, threshold, recorded: trace.compactions },
      {
        policy: choose(policies.get('claude-code-microcompact'), { reserve }),
        window,
        threshold: threshold - 20_000,
        recorded: clearings,
      },
    ]
  },
  codex: (trace) => {
    const usual = Math.min((trace.head.model && lookupModel(trace.head.model)?.contextWindow) || 272_000, 272_000)
    const window = trace.head.window ? Math.round(trace.head.window / recordedShare) : usual
    const policy = choose(policies.get('codex-compact'))
    return [{ policy, window, threshold: 0.9 * window, recorded: trace.compactions }]
  },
  opencode: (trace) => {
    const isWithLogin = /^gpt-5\.6-/.test(trace.head.model ?? '')
    return agentOf(trace, 'opencode-compact', 20_000, isWithLogin ? windowWithLogin : windowOf(trace))
  },
  'copilot-cli': (trace) => {
    const window = Math.min(windowOf(trace), mostOfCopilot)
    return [
      { policy: choose(policies.get('copilot-compact')), window, threshold: 0.8 * window, recorded: trace.compactions },
    ]
  },
  pi: (trace) => agentOf(trace, 'pi-compact', 16_384, windowOf(trace)),
}

/** The most that Copilot's CLI allows of a larger window, as its compactions record it (`tokenLimit`, 1.0.79). */
const mostOfCopilot = 272_000

/**
 * The input that opencode allows GPT-5.6 with a ChatGPT login (anomalyco/opencode#36248, 2026-07). With it, and not with the
 * model's own, its cuts are where it says: a response of 348,434 tokens went on, and one of 352,085 was the last before a cut.
 */
const windowWithLogin = 372_000

const windowOf = (trace) => (trace.head.model && lookupModel(trace.head.model)?.contextWindow) || 200_000

function agentOf(trace, name, reserve, window) {
  return [{ policy: choose(policies.get(name)), window, threshold: window - reserve, recorded: trace.compactions }]
}

/** Whether the user asked for each compaction (`/compact`); null where the file does not say. */
function askedIn(trace) {
  if (trace.compactions.length === 0) return []
  const { format, file } = trace.head
  if (format === 'claude-code') {
    const lines = readFileSync(file, 'utf8').split('\n')
    return trace.compactions.map(({ line }) => {
      const trigger = /"compactMetadata":\{"trigger":"(\w+)"/.exec(lines[line - 1] ?? '')?.[1]
      return trigger === undefined ? null : trigger === 'manual'
    })
  }
  if (format === 'opencode') {
    const parts = JSON.parse(readFileSync(file, 'utf8')).messages.flatMap((message) => message.parts)
    const automatic = parts.filter(({ type }) => type === 'compaction').map(({ auto }) => auto)
    if (automatic.length === trace.compactions.length) return automatic.map((auto) => auto === false)
  }
  return trace.compactions.map(() => null)
}

/** No agent compacts below this percentage of where it acts: the transcripts that did are tests, written by hand. */
const leastShare = 1

/**
 * The compactions of one transcript: how many requests the policy's nearest one is away, and the usage before. Those in front
 * of the first recorded request are left out, as nothing says what stood there.
 */
function compared(trace) {
  const asked = new Map(askedIn(trace).map((one, at) => [trace.compactions[at], one]))
  const origin = originOf(trace)
  return (agents[trace.head.format]?.(trace) ?? []).flatMap(({ policy, window, threshold, recorded }) => {
    if (recorded.length === 0) return []
    const plan = { policies: [policy], estimators: [estimator], budgets: [window], references: false }
    const acts = actsOf(trace, plan)
    const acted = [...acts.keys()]
    const wentOn = (100 * largestWithout(trace, recorded)) / threshold
    const rows = recorded.flatMap((one) => {
      const { at, left } = one
      const request = trace.requestFrom(at)
      if (request === 0) return []
      const usage = trace.usage(request - 1)
      const away = acted.map((act) => act - request).sort((a, b) => Math.abs(a) - Math.abs(b))[0] ?? null
      const cleared = acts.get(request + away) ?? new Set()
      return {
        policy: policy.plugin.name,
        origin,
        asked: asked.get(one) ?? null,
        away,
        wentOn,
        share: usage ? (100 * (usage.input + usage.output)) / threshold : null,
        results: left?.size ?? null,
        found: [...(left?.keys() ?? [])].filter((index) => cleared.has(index)).length,
      }
    })
    return rows.filter(({ share }) => share === null || share >= leastShare)
  })
}

/** The largest usage of a response that was followed by another request, and by none of these cuts. */
function largestWithout(trace, cuts) {
  const behind = new Set(cuts.map(({ at }) => trace.requestFrom(at)))
  let largest = 0
  for (let request = 0; request + 1 < trace.requests; request++) {
    const usage = trace.usage(request)
    if (usage && !behind.has(request + 1)) largest = Math.max(largest, usage.input + usage.output)
  }
  return largest
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
  const own = all.filter(({ asked, results }) => asked !== true && results !== 0)
  const apart = new Map()
  const rows = byVersion((groups) =>
    groups(own, { by: ({ policy }) => `\`${policy}\``, alone: true }).map(({ name, cells, list }) => {
      const within = (requests) => list.filter(({ away }) => away !== null && Math.abs(away) <= requests).length
      const shares = list.flatMap(({ share }) => (share === null ? [] : [share]))
      if (cells[0] === 'other') apart.set(name, list)
      return [
        name,
        ...cells,
        list.length,
        ...near.map(within),
        list.filter(({ away }) => away === null).length,
        ...[0, 0.5, 1].map((part) => quantile(shares, part)?.toFixed(1) ?? '-'),
        Math.max(...list.map(({ wentOn }) => wentOn)).toFixed(1),
      ]
    }),
  )
  const asked = all.filter((one) => one.asked)
  const empty = all.filter(({ results }) => results === 0)
  return [
    'Each transcript with a compaction or a clearing that its agent did itself is replayed under the policy that follows that\n',
    'agent, from its beginning, with the window of its model; after the first one the policy goes on from its own window, which\n',
    'is not the agent’s. `within` says how many recorded ones have one of the policy’s at most so many requests away; `usage` is\n',
    'what the provider counted with the response before, in percent of what the policy acts at, and `went on` the most that it counted\n',
    'in the same transcripts where no cut followed. Versions with fewer than three transcripts stand together.\n\n',
    table([
      [
        'policy',
        ...groupHead,
        'cuts',
        ...near.map((requests) => `within ${requests}`),
        'policy never acts',
        'usage least',
        'median',
        'most',
        'went on',
      ],
      ...rows,
    ]),
    `\nOf the ${sum(own, 'results')} tool results that were recorded as cleared, the policy's nearest act clears ${sum(own, 'found')}. Left out are ${asked.length} compactions\n`,
    `that the user asked for, at ${range(asked)} % of where the policy acts, and ${empty.length} lines of Claude Code that say it cleared\n`,
    `something and name no result (versions ${versionsOf(empty)}, at ${range(empty)} %).\n\n`,
    ...[...apart].map(([name, list]) => `Other versions of ${name}: ${versionsApart(list)}.\n\n`),
    prose,
  ].join('')
}

const sum = (list, key) => list.reduce((total, one) => total + (one[key] ?? 0), 0)

/** The least and the most of the usage in front of some cuts. */
function range(list, digits = 0) {
  const shares = list.flatMap(({ share }) => share ?? [])
  return [...new Set([0, 1].map((part) => quantile(shares, part)?.toFixed(digits) ?? '-'))].join(' to ')
}

const versionsOf = (list) => [...new Set(list.map(({ origin }) => origin.version))].sort().join(', ')

/** Each version of a row that puts several together, with where its cuts were. */
function versionsApart(list) {
  const versions = [...grouped(list, ({ origin }) => origin.version)].sort(([a], [b]) => (a < b ? -1 : 1))
  return versions.map(([version, own]) => `${own.length} by ${version} at ${range(own, 1)} %`).join(', ')
}

const prose = [
  '- **May be claimed:** where Claude Code compacts on its own, up to 2.1.226: at 167,000 tokens of a window of 200,000, and 155,000 up to\n',
  '  2.1.20, to a few hundred tokens of usage and, for the first cut of a session, to a few requests. Which results the microcompaction\n',
  '  of 2.1.12 to 2.1.22 clears. opencode’s two are where it says, 20,000 tokens below the input it allows the model.\n',
  '- **How sure:** nearly all of Claude Code’s are of one owner; behind its first cut of a session the policy has another window, and later\n',
  '  ones are up to a hundred requests away. The window is not written down: a session is taken for one of 200,000 tokens until a request is\n',
  '  larger, and the one of 2.1.226 compacted like one, though its model has a million. opencode’s window is not written down either; it is that of\n',
  '  GPT-5.6 with a ChatGPT login (372,000).\n',
  '- **May not be claimed:** where Codex compacts. It does so before nine tenths of the model’s window are counted, as it adds an estimate of\n',
  '  the reasoning that the provider dropped; that is encrypted, and taken out of all but one of these transcripts, so that the policy acts later. What it\n',
  '  records as its window is 95 % of the model’s: nine tenths of that would be 95.0 in `went on`, and sessions went on beyond it. What the\n',
  '  boundaries of 2.1.56 cleared, and where pi compacts: its one is of a session in which the next request was as large as before, and\n',
  '  nobody knows whether it was asked for. Nor where Copilot’s CLI does: its two began at 80.1 and 80.3 % of its own count, which the files\n',
  '  record there, but the input of its requests is not recorded, and the estimate of it is off.\n',
].join('')

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await section(filesIn(process.argv.slice(2))))
