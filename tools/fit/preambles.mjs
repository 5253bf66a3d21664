/**
 * Measures what programs send in front of a conversation and do not record, in all sessions with recorded usage: the
 * distribution by program (hierarchy.mjs), and how far the count of what is recorded is off beside it.
 *
 *   npm run build && node tools/fit/preambles.mjs [FOLDER…] [--write | --leave-out]
 *
 * `--write` writes src/models/preambles.data.ts. `--leave-out` prints how far requests are off whose usage nobody was shown,
 * with a table made without their owner: with nothing for the preamble, with what is usual, and with the owner's own other
 * sessions.
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ownerOf } from '../../bench/truth/manifest.mjs'
import { filesIn, quantile, signed, sourcesOf, table, unread } from '../../bench/truth/transcripts.mjs'
import { foreseeTraceFrom } from '../../dist/app/calibrate.js'
import { readSources } from '../../dist/app/files/read-sources.js'
import { choose, estimators } from '../../dist/app/index.js'
import { caseOf } from '../../dist/app/plan.js'
import { composedInterval } from '../../dist/models/intervals.js'
import { ownPreambles, preambleOf, priorPreamble } from '../../dist/models/preambles.js'
import { hiddenPreamble } from '../../dist/simulator/hidden-preamble.js'
import { rowsOf } from './hierarchy.mjs'

/** What any program may write: of its preambles none tells of another. */
const anybodys = new Set([
  ...['anthropic-messages', 'openai-chat', 'openai-responses', 'bedrock-converse', 'gemini-api', 'atif', 'inspect'],
  ...['langfuse', 'langsmith', 'litellm', 'otel-genai', 'openinference', 'sharegpt', 'ctxwin'],
])
/** Growth of fewer tokens is not compared: a tool that is loaded late would be most of it. */
const least = 2000

/** @returns the sessions that tell of a program, as the estimator counts them: `{ of, owner, tokens, requests }` */
async function sessionsIn(files, estimator) {
  const plan = { policies: [], estimators: [choose(estimators.get(estimator))], budgets: [] }
  const take = (trace, copyOf) => {
    if (copyOf !== null || anybodys.has(trace.head.format)) return []
    const tokens = hiddenPreamble(trace, caseOf(trace, plan).inputs)
    if (tokens === null) return []
    const { source, prior } = caseOf(trace.withoutUsageFrom(0), plan).counted
    const usual = source === 'usual' ? Math.round(prior.tokens) : 0
    const requests = foreseeTraceFrom(trace, plan, 0).map(({ recorded, foreseen }) => ({
      recorded,
      counted: foreseen - usual,
    }))
    return [{ of: preambleOf(trace), owner: ownerOf(trace.head.file), tokens, requests }]
  }
  const sessions = []
  for await (const { taken } of readSources(sourcesOf(files), plan, {}, take, unread)) sessions.push(...taken)
  return sessions
}

const rowsWithout = (sessions, owner) =>
  rowsOf(sessions.flatMap((one) => (one.owner === owner ? [] : [{ ...one.of, owner: one.owner, tokens: one.tokens }])))

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length

function grouped(values, keyOf) {
  const groups = new Map()
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value])
  return groups
}

/**
 * How far the estimator is off in what transcripts record: two thirds of the windows are off by less, in percent of what they
 * grew by since the first, each owner counting the same.
 */
function spreadOf(sessions, estimator) {
  const owners = [...grouped(sessions, ({ owner }) => owner).values()].flatMap((own) => {
    const errors = own.flatMap(({ requests: [first, ...later] }) =>
      later
        .map(({ recorded, counted }) => [recorded - first.recorded, counted - first.counted])
        .filter(([recorded]) => recorded >= least)
        .map(([recorded, counted]) => Math.abs((100 * (counted - recorded)) / recorded)),
    )
    return errors.length === 0 ? [] : [quantile(errors, 0.683)]
  })
  return { estimator, percent: Math.round(10 * quantile(owners, 0.5)) / 10, owners: owners.length }
}

function predicted(sessions) {
  const tables = new Map(
    [...grouped(sessions, ({ owner }) => owner).keys()].map((owner) => [owner, rowsWithout(sessions, owner)]),
  )
  const priors = {
    nothing: () => null,
    usual: ({ of, owner }) => priorPreamble(of, [], tables.get(owner)),
    own: (session) => {
      const others = sessions.filter((one) => one !== session && one.owner === session.owner)
      return priorPreamble(session.of, ownPreambles(session.of, others), tables.get(session.owner))
    },
  }
  return Object.entries(priors).flatMap(([name, priorOf]) =>
    sessions.flatMap((session) => {
      const prior = priorOf(session)
      const hidden = prior === null || prior.basis === 'all' ? 0 : prior.tokens
      return session.requests.map(({ recorded, counted }) => {
        const window = counted + hidden
        const { lowPercent, highPercent } = composedInterval(window, prior, 'auto')
        const error = (100 * (window - recorded)) / recorded
        const [low, high] = [lowPercent, highPercent].map((percent) => window / (1 + percent / 100))
        return {
          ...{ name, program: session.of.program, owner: session.owner, session, error },
          ...{ held: recorded <= low && recorded >= high, width: (100 * (low - high)) / window },
        }
      })
    }),
  )
}

/** @returns Markdown: a row for each program and prior */
function errorTable(requests) {
  const rows = [...grouped(requests, ({ program, name }) => `${program} ${name}`).values()].map((own) => {
    const owners = [...grouped(own, ({ owner }) => owner).values()]
    const both = (of) => [mean(own.map(of)), mean(owners.map((one) => mean(one.map(of))))]
    const [{ program, name }] = own
    return [
      program,
      name,
      new Set(own.map(({ session }) => session)).size,
      own.length,
      owners.length,
      ...both(({ error }) => Math.abs(error)).map((percent) => percent.toFixed(1)),
      ...both(({ error }) => error).map(signed),
      ...both(({ held }) => (held ? 100 : 0)).map((percent) => percent.toFixed(1)),
      quantile(
        own.map(({ width }) => width),
        0.5,
      ).toFixed(0),
    ]
  })
  const head = ['program', 'preamble', 'sessions', 'requests', 'owners', '% off', 'by owner', 'bias %', 'by owner']
  return table([
    [...head, 'held %', 'by owner', 'median width %'],
    ...rows.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
  ])
}

/** The data of the program. */
function dataOf(sessions, spreads) {
  const shown = (value) =>
    typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(3) : JSON.stringify(value)
  const line = (row) =>
    `    { ${Object.entries(row)
      .map(([key, value]) => `${key}: ${shown(value).replaceAll('"', "'")}`)
      .join(', ')} },`
  return `/** Measured by \`node tools/fit/preambles.mjs --write\` on sessions that others recorded and published. */
import type { RecordedSpread, UsualPreamble } from './table.ts'

export const preambles: {
  readonly asOf: string
  readonly recorded: readonly RecordedSpread[]
  readonly table: readonly UsualPreamble[]
} = {
  asOf: '${new Date().toISOString().slice(0, 10)}',
  recorded: [
${spreads.map(line).join('\n')}
  ],
  table: [
${rowsWithout(sessions, null).map(line).join('\n')}
  ],
}
`
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false }, 'leave-out': { type: 'boolean', default: false } },
})
const files = filesIn(positionals)
const sessions = await sessionsIn(files, 'auto')
if (values['leave-out']) console.log(errorTable(predicted(sessions)))
else {
  const spreads = [spreadOf(sessions, 'auto'), spreadOf(await sessionsIn(files, 'bytes'), 'bytes')]
  const data = dataOf(sessions, spreads)
  if (values.write) writeFileSync(new URL('../../src/models/preambles.data.ts', import.meta.url), data)
  else process.stdout.write(data)
}
