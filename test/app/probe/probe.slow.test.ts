/** The estimate of a probe against what can be worked out: a model of which it is known what it does with what it sees, and how often by chance. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { readingHere } from '../../../src/app/analysis.ts'
import { choose, estimators, openFile, type Plan, policies } from '../../../src/app/index.ts'
import { readySessions } from '../../../src/app/probe/bodies.ts'
import { planProbes, sampleOf } from '../../../src/app/probe/plan.ts'
import { foundIn } from '../../../src/app/probe/result.ts'
import { runProbes } from '../../../src/app/probe/run.ts'
import { uniform } from '../../../src/base/uniform.ts'
import type { Answer } from '../../../src/model/probe.ts'
import type { AskedProbe, PlannedProbe } from '../../../src/model/probed.ts'
import { claudeSession } from '../bill/claude-session.ts'

const root = mkdtempSync(join(tmpdir(), 'ctxwin-probe-law-'))
afterAll(() => rmSync(root, { recursive: true }))

const files = Array.from({ length: 12 }, (_, session) => {
  const file = join(root, `s${session}.jsonl`)
  writeFileSync(file, claudeSession(session, 12 + (session % 5)))
  return file
})

const plan: Plan = {
  policies: [choose(policies.get('drop-steps'))],
  estimators: [choose(estimators.get('bytes'))],
  budgets: [15_000],
}
const read = () =>
  readingHere(
    files.map((file) => openFile(file)),
    {},
  )
const settings = { api: 'anthropic', model: 'some-model', preamble: null, withoutTools: true } as const

it('has what is true within its interval in at least 93 of 100 draws of sample and noise', async () => {
  const noise = 0.1
  const [same, other] = [1 - 2 * noise * (1 - noise), 2 * noise * (1 - noise)]
  const every = await planProbes(read(), plan, { ...settings, perSession: 10_000, probes: 10_000, seed: 1 })
  expect(every.plan.sessions.length).toBe(files.length)
  // By session and request: whether what is needed stands in the policy's window.
  const stands = new Map<string, { full: string; policy: string; file: string; needed: string | null }>()
  for await (const { probes } of readySessions(read(), plan, every.plan.sessions, {
    ...settings,
    isOwnServer: false,
  })) {
    for (const { about, full, policy } of probes) {
      const input = about.recorded.calls[0]?.input as { old_string?: string } | undefined
      const needed = input?.old_string ?? null
      const [all, some] = [JSON.stringify(full()), JSON.stringify(policy(new Map()))]
      stands.set(`${about.session} ${about.request}`, { full: all, policy: some, file: about.file, needed })
    }
  }
  const sees = (text: string, needed: string | null) =>
    needed === null || text.includes(JSON.stringify(needed).slice(1, -1))
  const lost = [...stands.values()].filter(({ policy, needed }) => !sees(policy, needed)).length
  expect(lost).toBeGreaterThan(10)
  const share = lost / stands.size
  const truth = share * (other - same)
  const draws = 200
  let [within, sum] = [0, 0]
  for (let seed = 1; seed <= draws; seed++) {
    const random = uniform(seed * 7919)
    const sample = every.plan.sessions.map(({ key, probes }) => ({ session: key, probes: drawnOf(probes, random) }))
    const answers = new Map<string, Answer>()
    const asked: AskedProbe[] = sample.flatMap(({ session, probes }) =>
      probes.map(({ request, loss, age, tool, weight }) => {
        const { full, policy, needed } = stands.get(`${session} ${request}`) as {
          full: string
          policy: string
          needed: string | null
        }
        const keys = [full, full, policy, policy].map((text, arm) => {
          const key = `${session} ${request} ${arm}`
          const isRecorded = sees(text, needed) !== random() < noise
          answers.set(key, answerOf(isRecorded ? '/recorded.ts' : '/other.ts'))
          return key
        }) as unknown as AskedProbe['keys']
        const none = { file: '', line: 0, cwd: null, preamble: 'none', left: 0, used: [] } as const
        return { ...none, session, request, loss, age, tool, weight, recorded: { calls: [], text: '' }, keys }
      }),
    )
    const found = foundIn(
      asked.map((probe) => ({ probe, answers: probe.keys.map((key) => answers.get(key)) as never })),
    )
    const { low, high, difference } = found.strata[0] as { low: number; high: number; difference: number }
    sum += difference
    if (low <= truth && truth <= high) within++
  }
  expect(within).toBeGreaterThanOrEqual(0.93 * draws)
  expect(Math.abs(sum / draws - truth)).toBeLessThan(0.02)
}, 300_000)

/** Six of all requests of a session, with their weights. */
function drawnOf(probes: readonly PlannedProbe[], random: () => number) {
  const candidates = probes.map(({ request, loss, age, tool }) => ({ one: { request } as never, loss, age, tool }))
  return sampleOf(candidates, 6, random).map(({ one: { request }, ...rest }) => ({ request, ...rest }))
}

const answerOf = (file_path: string): Answer => ({
  action: { calls: [{ name: 'Read', input: { file_path } }], text: '' },
  stop: null,
  model: null,
  usage: null,
})

it('asks the requests of a session in their order, each window twice', async () => {
  const drawn = await planProbes(read(), plan, { ...settings, perSession: 3, probes: 12, seed: 2 })
  const asked: string[] = []
  const done: AskedProbe[] = []
  await runProbes(readySessions(read(), plan, drawn.plan.sessions, { ...settings, isOwnServer: false }), {
    respondent: {
      async ask(_, asking, body) {
        asked.push(asking)
        return { key: JSON.stringify(body).length.toString(), answer: answerOf('/a.ts') }
      },
    },
    marks: false,
    cleaning: () => (body) => body,
    isEnough: async () => false,
    done: (probe) => void done.push(probe),
    failed: () => expect.unreachable(),
  })
  expect(done.length).toBe(drawn.plan.planned)
  expect(asked.length).toBe(4 * done.length)
  for (const { key } of drawn.plan.sessions) {
    const requests = done.filter(({ session }) => session === key).map(({ request }) => request)
    expect(requests).toEqual([...requests].sort((one, other) => one - other))
  }
})
