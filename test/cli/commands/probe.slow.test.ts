/** `probe` against a server that answers by a known rule: what is sent, what is said of it, and what it may cost. */
import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { choose, estimators, openFile, type Plan, policies, readTraces } from '../../../src/app/index.ts'
import { windowRequest } from '../../../src/app/window.ts'
import { uniform } from '../../../src/base/uniform.ts'
import { probedApis } from '../../../src/cli/inputs/commands.ts'
import type { NextAction } from '../../../src/model/probe.ts'
import { armNames, noSummary } from '../../../src/model/probed.ts'
import { claudeSession } from '../../app/bill/claude-session.ts'
import { type Fault, type Rule, serveModel, unspeakable, usageOf } from '../../clients/model-server.ts'
import { publishedSchema } from '../../schema.ts'
import { runCli } from '../run.ts'
import { anthropicLog, chatLog, responsesLog, thinkingModel } from './every-kind.ts'

const root = mkdtempSync(join(tmpdir(), 'ctxwin-probe-'))
afterAll(() => rmSync(root, { recursive: true }))

const sessions = 6
const written = (name: string, sessions: number, length: number) =>
  Array.from({ length: sessions }, (_, session) => {
    const file = join(root, `${name}${session}.jsonl`)
    writeFileSync(file, claudeSession(session, 8, length))
    return file
  })
const files = written('s', sessions, 60)
/** So large that an agent compacts them. */
const large = written('l', 3, 240)

const budget = 5000
const window = ['--policy', 'drop-steps', '--budget', `${budget}`, '-e', 'bytes']
const largeWindow = ['--policy', 'drop-steps', '--budget', '20k', '-e', 'bytes']
const summing = ['--policy', 'claude-code-auto', '--budget', '45k', '-e', 'bytes']
const perSession = ['--per-session', '3']
type Body = Record<string, unknown>

let journals = 0
const freshJournal = () => join(root, `journal${journals++}.ndjson`)

const textOf = (body: Record<string, unknown>): string => JSON.stringify(body.messages ?? body.input)

/** Does what follows from how much stands in the window: with all of it one thing, without another. */
const bySight =
  (word: string): Rule =>
  (body) => ({ calls: [{ name: 'Read', input: { file_path: textOf(body).includes(word) ? '/a.ts' : '/b.ts' } }] })

/** Does another thing in each window of another size. */
const bySize: Rule = (body) => ({
  calls: [{ name: 'Read', input: { file_path: `/${textOf(body).length}.ts` } }],
})

async function probe(url: string, more: readonly string[], journal = freshJournal(), env = {}) {
  const argv = [
    'probe',
    ...(more.includes('claude-code-auto') ? large : files),
    ...(more.includes('--policy') ? [] : window),
    '--endpoint',
    url,
    '--ask',
    'some-model',
    '--max-requests',
    '500',
    ...perSession,
    '--yes',
  ]
  return { ...(await runCli([...argv, '--journal', journal, ...more], { cwd: root, env })), journal }
}

describe('probe', () => {
  it('sends nothing in a dry run, and says what it would', async () => {
    const { code, stdout, stderr } = await runCli(
      ['probe', ...files, ...window, '--ask', 'claude-sonnet-4-5', '--dry-run'],
      { cwd: root },
    )
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/would ask about \d+ requests in 6 sessions, four times each: about \$\d+\.\d\d/)
  })

  it('asks four times, and says what came of it', async () => {
    const server = await serveModel('chat', bySight('aa0_0'))
    const { code, stdout, stderr, journal } = await probe(server.url, ['--json'])
    expect(stderr).toBe('')
    expect(code).toBe(0)
    const result = JSON.parse(stdout)
    expect(result.probes).toBe(result.about.planned)
    expect(server.asked.length).toBe(4 * result.probes)
    expect(result.strata[0].floor).toBe(1)
    const again = await probe(server.url, ['--json'], journal)
    expect(again.stdout).toBe(stdout)
    expect(server.asked.length).toBe(4 * result.probes)
    await server.close()
    const check = (limit: string) =>
      runCli(['check', '--journal', journal, '--assert', `maxProbeWorse=${limit}`], { cwd: root })
    expect((await check('100')).code).toBe(0)
    const failed = await check('3')
    expect([failed.code, failed.stdout]).toEqual([1, expect.stringContaining('maxProbeWorse')])
    expect(failed.stdout).toContain(`${result.probes} probes in ${sessions} sessions`)
  })

  it('sends the very bodies that `window` builds, but for model, limit, marks and tools that are made up', async () => {
    for (const api of probedApis) {
      const provider = api === 'anthropic' ? 'anthropic' : 'openai'
      const known = new Set<string>()
      for await (const trace of readTraces(
        files.map((file) => openFile(file)),
        { plan: planOf('drop-steps', budget, provider) },
      )) {
        for (const [policy, size] of [
          ['as-recorded', 0],
          ['drop-steps', budget],
        ] as const) {
          const plan = planOf(policy, size, provider)
          for (let at = 0; at < trace.requests; at++) {
            const { body } = windowRequest(trace, plan, at, api === 'anthropic' ? null : api)
            known.add(withoutSettings(body))
          }
        }
      }
      const server = await serveModel(api, bySight('aa0_0'))
      await probe(server.url, ['--api', api])
      expect(server.asked.length).toBeGreaterThan(20)
      for (const { body } of server.asked) expect(known).toContain(withoutSettings(body))
      await server.close()
    }
  })

  it('sends the whole of what `history --request --at` prints where system prompt and tools are recorded, but for model, limit and marks', async () => {
    const logs = { anthropic: anthropicLog, chat: chatLog, responses: responsesLog }
    const limits = ['-e', 'bytes', '--max-requests', '99', '--max-usd', '99', '--per-session', '99', '--yes', '--json']
    for (const api of probedApis) {
      const provider = api === 'anthropic' ? ['--provider', 'anthropic'] : ['--provider', 'openai', '--api', api]
      for (const [name, log] of Object.entries(logs)) {
        // It has an image in a result, for which OpenAI's APIs have no place.
        if (name === 'anthropic' && api !== 'anthropic') continue
        const file = join(root, `${name}-log.jsonl`)
        writeFileSync(file, log())
        const printed = async (...policy: string[]) => {
          const bodies: string[] = []
          for (let at = 1; ; at++) {
            const argv = ['history', '--request', file, '--at', `${at}`, '-e', 'bytes', ...policy, ...provider]
            const { code, stdout } = await runCli(argv, { cwd: root })
            if (code !== 0) return bodies
            bodies.push(wholeOf(JSON.parse(stdout)))
          }
        }
        const cut = ['-p', 'drop-oldest', '-b', '300']
        const [full, policy] = [await printed('-p', 'as-recorded', '-b', '1m'), await printed(...cut)]
        const server = await serveModel(api, () => ({ text: 'Yes.' }))
        const to = ['--endpoint', server.url, '--api', api, '--ask', thinkingModel, '--journal', freshJournal()]
        const { stdout } = await runCli(['probe', file, ...cut, ...to, ...limits], { cwd: root })
        await server.close()
        const { probes, preambles } = JSON.parse(stdout)
        expect([probes > 0, preambles.recorded]).toEqual([true, 1])
        const sent = new Set(server.asked.map(({ body }) => wholeOf(body)))
        for (const body of sent) expect([...full, ...policy]).toContain(body)
        expect(full.some((body) => sent.has(body))).toBe(true)
        expect(policy.some((body) => sent.has(body) && !full.includes(body))).toBe(true)
        for (const body of sent) expect(Object.keys(JSON.parse(body))).toContain('tools')
      }
    }
  })

  it('prints the same after it was stopped anywhere, and asks for nothing twice', async () => {
    const rule = bySight('aa0_0')
    const server = await serveModel('chat', rule)
    const { stdout, journal } = await probe(server.url, [])
    const whole = readFileSync(journal)
    const random = uniform(7)
    for (let turn = 0; turn < 4; turn++) {
      const cut = freshJournal()
      writeFileSync(cut, whole, { mode: 0o600 })
      truncateSync(cut, Math.floor(random() * whole.length))
      const before = server.asked.length
      const again = await probe(server.url, [], cut)
      expect(again.stdout).toBe(stdout)
      expect(server.asked.length - before).toBeLessThanOrEqual(before)
    }
    await server.close()
  })

  it('loses nothing by faults', async () => {
    const calm = await serveModel('chat', bySight('aa0_0'))
    const { stdout } = await probe(calm.url, [])
    const faults: (Fault | null)[] = [{ status: 429, retryAfter: 0 }, { cut: 40 }, { status: 500 }, { garbage: true }]
    const rough = await serveModel('chat', bySight('aa0_0'), {
      faults: (number) => (number % 9 === 0 ? (faults[number / 9] ?? null) : null),
    })
    expect((await probe(rough.url, [])).stdout).toBe(stdout)
    expect(rough.asked.length).toBeGreaterThan(calm.asked.length)
    await Promise.all([calm.close(), rough.close()])
  })

  it('never spends more than it may, whatever the server says of usage', async () => {
    const usages = [
      undefined,
      null,
      { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 },
      { input: Number.MAX_SAFE_INTEGER, cacheRead: 0, cacheWrite: 0, output: 1 },
      { input: 1e308, cacheRead: 0, cacheWrite: 0, output: 1e308 },
    ]
    for (const usage of usages) {
      const server = await serveModel('anthropic', () => ({ text: 'yes', ...(usage !== undefined && { usage }) }))
      const limit = 2
      const argv = ['probe', ...large, ...largeWindow, '--endpoint', server.url, '--api', 'anthropic']
      const more = [
        '--ask',
        'claude-sonnet-4-5',
        '--max-usd',
        `${limit}`,
        '--yes',
        '--json',
        '--journal',
        freshJournal(),
      ]
      const { stdout, stderr, code } = await runCli([...argv, ...more], { cwd: root })
      // Where nothing tells what an answer cost, so little is not enough for all four answers to one request.
      expect(code).toBe(JSON.parse(stdout).probes > 0 ? 0 : 2)
      // As the server could bill it: a token for four characters, each written to the cache where it says nothing else.
      const price = usage === undefined ? 3e-6 : 3.75e-6
      const billed = server.asked.reduce((sum, { text }) => sum + (text.length / 4) * price + 20 * 15e-6, 0)
      expect(billed).toBeLessThanOrEqual(limit)
      expect(JSON.parse(stdout).dollars ?? 0).toBeLessThanOrEqual(limit)
      if (usage !== undefined) expect(stderr).toContain('what may be spent is used up')
      await server.close()
    }
  })

  it('counts what brought no answer, with what it may have cost, and asks again', async () => {
    const priced = (url: string, journal: string, ...more: string[]) =>
      runCli(
        [
          ...['probe', ...files, ...window, '--endpoint', url, '--api', 'anthropic', '--ask', 'claude-sonnet-4-5'],
          ...['--max-usd', '100', '--yes', '--journal', journal, ...more],
        ],
        { cwd: root },
      )
    const rule = bySight('aa0_0')
    const calm = await serveModel('anthropic', rule)
    const whole = JSON.parse((await priced(calm.url, freshJournal(), '--json')).stdout)
    expect(whole.failed).toEqual({ requests: 0, reasons: [] })
    expect(whole.lost).toEqual({ tries: 0, dollars: 0 })
    expect(whole.unused).toBe(0)
    const billed = calm.asked.reduce(
      (sum, { body }) => sum + usageOf(body).input * 3e-6 + usageOf(body).output * 15e-6,
      0,
    )
    expect(whole.dollars).toBeCloseTo(billed, 4)
    // Of one request the policy's window is refused, of another its answer breaks off. The shortest windows are the policy's.
    const [refused, cut] = [...new Set(calm.asked.map(({ body }) => withoutMarks(body)))].sort(
      (one, other) => one.length - other.length,
    )
    const journal = freshJournal()
    const rough = await serveModel('anthropic', rule, {
      faults: (_, body) => {
        if (withoutMarks(body) === refused) return { status: 400 }
        return withoutMarks(body) === cut ? { failure: 'invalid_request_error' } : null
      },
    })
    const { code, stdout, stderr } = await priced(rough.url, journal, '--json')
    const result = JSON.parse(stdout)
    expect([code, result.failed.requests]).toEqual([2, 2])
    expect(stderr).toContain('2 requests brought no usable answer')
    expect(result.failed.reasons).toEqual(
      expect.arrayContaining([
        { reason: expect.stringMatching(/\(HTTP 400\)$/), requests: 1 },
        { reason: 'it began to answer and reported an error', requests: 1 },
      ]),
    )
    expect(result.probes).toBe(whole.probes - 2)
    expect(publishedSchema('probe').violations(result)).toEqual([])
    const cuts = rough.asked.filter(({ body }) => withoutMarks(body) === cut)
    expect(result.lost.tries).toBe(cuts.length)
    expect(result.lost.dollars).toBeGreaterThan(cuts.length * 8192 * 15e-6)
    expect(result.unused).toBeGreaterThan(0)
    const { stdout: table } = await priced(rough.url, journal)
    const words = table.replace(/\s+/g, ' ')
    expect(words).toMatch(/\$\d+\.\d\d and at most \$\d+\.\d\d for 2 tries that brought no answer/)
    expect(words).toContain(
      'no usable answer: 1 request: it began to answer and reported an error (the same command asks again)',
    )
    expect(words).toContain('went to requests that are not answered in all four arms')
    await Promise.all([calm.close(), rough.close()])
  }, 120_000)

  it('gives up where one request after the other is refused, and has counted them', async () => {
    const server = await serveModel('chat', bySight('aa0_0'), { faults: () => ({ status: 400 }) })
    const { code, stdout, stderr } = await probe(server.url, ['--json'])
    const { failed, probes, about } = JSON.parse(stdout)
    expect([code, probes]).toEqual([2, 0])
    expect(failed.requests).toBe(server.asked.length)
    expect(failed.requests).toBeGreaterThanOrEqual(5)
    expect(failed.requests).toBeLessThan(about.planned)
    expect(stderr).toContain('(HTTP 400)')
    expect(stdout + stderr).not.toContain(unspeakable)
    await server.close()
  })

  it('ends with 2 where what may be spent is too little for a single request, and with 0 where it is used up', async () => {
    const server = await serveModel('chat', bySight('aa0_0'))
    const few = await probe(server.url, ['--max-requests', '3', '--json'])
    expect([few.code, JSON.parse(few.stdout).probes]).toEqual([2, 0])
    expect(few.stderr).toContain('used up before any request has all four answers')
    const some = await probe(server.url, ['--max-requests', '64'])
    expect(some.code).toBe(0)
    expect(some.stdout.replace(/\s+/g, ' ')).toMatch(/not asked yet: \d+ requests of \d+: the same command goes on/)
    const check = await runCli(['check', '--journal', some.journal, '--assert', 'maxProbeWorse=100'], { cwd: root })
    expect([check.code, check.stdout]).toEqual([
      0,
      expect.stringMatching(/\d+ of \d+ planned requests are not answered \(0 of them failed\)/),
    ])
    await server.close()
  })

  it('has each plan of a journal as if it were alone', async () => {
    const server = await serveModel('chat', (body) =>
      textOf(body).includes('about to be cut') ? { text: 'WHAT WAS' } : (bySize(body, 0) as NextAction),
    )
    const journal = freshJournal()
    for (const more of [[], summing]) {
      const alone = await probe(server.url, [...more, '--json'])
      const together = await probe(server.url, [...more, '--json'], journal)
      expect(JSON.parse(together.stdout)).toEqual(JSON.parse(alone.stdout))
    }
    // The first again: nothing is asked, and its result has nothing of the other.
    const asked = server.asked.length
    const first = await probe(server.url, ['--json'], journal)
    expect(JSON.parse(first.stdout).used.summaries).toBe(0)
    expect(server.asked.length).toBe(asked)
    await server.close()
  })

  it('foresees by the answers that the journal has of the same policy', async () => {
    const many = written('p', 12, 60)
    const server = await serveModel('chat', bySize)
    const ask = ['--endpoint', server.url, '--ask', 'm', '--max-requests', '500', '--yes', '--per-session', '1']
    const journal = freshJournal()
    await runCli(['probe', ...many, ...window, ...ask, '--journal', journal], { cwd: root })
    await server.close()
    const plan = async (...more: string[]) => {
      const argv = ['probe', ...many, ...(more.includes('--policy') ? [] : window), '--ask', 'm', '--dry-run', ...more]
      return (await runCli(argv, { cwd: root })).stdout.replace(/\s+/g, ' ')
    }
    const json = JSON.parse(await plan('--journal', journal, '--json'))
    expect(json.power.from).toEqual({ probes: 12, sessions: 12 })
    // Each window has one answer, and the policy's another one: nothing scatters.
    expect(json.power.floor).toBe(1)
    expect(await plan('--journal', journal)).toContain('by the journal’s 12 probes of 12 sessions')
    expect(await plan()).toContain('assume that asking twice gives the same 90 times of 100')
    expect(await plan('--journal', journal, '--policy', 'drop-steps', '--budget', '4k', '-e', 'bytes')).toContain(
      'assume that',
    )
  })

  it('is not harmed by a hostile server', async () => {
    const nasty = `\u001b[2J<script>alert(1)</script>${'x'.repeat(100_000)}`
    const action: NextAction = {
      calls: [{ name: `__proto__${nasty.slice(0, 40)}`, input: JSON.parse('{"__proto__":{"a":1},"constructor":1}') }],
      text: nasty,
    }
    const server = await serveModel('chat', (_, number) => (number % 2 === 0 ? action : { text: nasty }))
    const journal = freshJournal()
    for (const output of ['table', 'json', 'csv', 'markdown', 'html']) {
      const { stdout, stderr, code } = await probe(server.url, ['--output', output], journal)
      expect(code).toBe(0)
      expect(stdout + stderr).not.toMatch(/\u001b/)
    }
    await server.close()
  })

  it('shows where answers differ as a page, which is made of the journal alone once all is answered', async () => {
    const server = await serveModel('chat', bySize)
    const { stdout: json, journal } = await probe(server.url, ['--json'])
    const asked = server.asked.length
    const { code, stdout, stderr } = await probe(server.url, ['--output', 'html'], journal)
    expect([code, stderr, server.asked.length]).toEqual([0, '', asked])
    // Nothing is sent, so nobody has to say yes.
    const argv = [
      'probe',
      ...files,
      ...window,
      '--endpoint',
      server.url,
      '--ask',
      'some-model',
      '--max-requests',
      '500',
      ...perSession,
    ]
    const unasked = await runCli([...argv, '--journal', journal, '--json'], { cwd: root })
    expect([unasked.code, unasked.stdout]).toEqual([0, json])
    await server.close()
    const [, data = 'null'] = /id="data">(.*?)<\/script>/s.exec(stdout) ?? []
    const { differences } = JSON.parse(json)
    expect(differences.length).toBeGreaterThan(0)
    const withArms = JSON.parse(data).differences.map((one: object) => ({ ...one, arms: armNames }))
    expect(withArms).toEqual(differences)
  })

  it('has summaries written by the model, and puts them in place', async () => {
    const server = await serveModel('chat', (body) =>
      textOf(body).includes('about to be cut')
        ? { text: 'SUMMARY OF WHAT WAS' }
        : { calls: [{ name: 'Read', input: { file_path: '/a.ts' } }] },
    )
    const argv = ['probe', ...large, ...summing, '--yes', '--json']
    const more = ['--endpoint', server.url, '--ask', 'm', '--max-requests', '500', '--journal', freshJournal()]
    const { stdout, code } = await runCli([...argv, ...more], { cwd: root })
    expect(code).toBe(0)
    const result = JSON.parse(stdout)
    expect(result.used.summaries).toBeGreaterThan(0)
    const told = server.asked.filter(({ body }) => textOf(body).includes('SUMMARY OF WHAT WAS'))
    expect(told.length).toBeGreaterThanOrEqual(2 * result.probes)
    await server.close()
  })

  it('asks a second time for a summary, without calls, and no more', async () => {
    const calling = { calls: [{ name: 'Read', input: { file_path: '/a.ts' } }] }
    const one = ['probe', large[0] as string, ...summing, '--yes']
    for (const [empty, code] of [
      [1, 0],
      [2, 2],
    ]) {
      const tries = new Map<string, number>()
      const server = await serveModel('chat', (body) => {
        const text = textOf(body)
        if (!text.includes('about to be cut')) return calling
        const before = tries.get(text) ?? 0
        expect(body.tool_choice).toBe(before === 0 ? undefined : 'none')
        tries.set(text, before + 1)
        return before < (empty as number) ? calling : { text: 'What was done.' }
      })
      const to = [
        '--endpoint',
        server.url,
        '--ask',
        'm',
        '--max-requests',
        '500',
        '--journal',
        freshJournal(),
        '--json',
      ]
      const first = await runCli([...one, ...to], { cwd: root })
      const asked = server.asked.length
      const again = await runCli([...one, ...to], { cwd: root })
      await server.close()
      const { failed, probes, about } = JSON.parse(first.stdout)
      expect([first.code, new Set(tries.values())]).toEqual([code, new Set([2])])
      const reasons = code === 0 ? [] : [{ reason: noSummary, requests: about.planned }]
      expect([failed.reasons, probes]).toEqual([reasons, code === 0 ? about.planned : 0])
      // All of that is in the journal.
      expect([again.stdout, again.code, server.asked.length]).toEqual([first.stdout, code, asked])
      expect(first.stderr.includes('wrote no summary')).toBe(code === 2)
      expect(first.stderr).not.toContain('asks again')
    }
  })

  it('asks nobody without an endpoint, a limit and a yes', async () => {
    const rest = ['probe', files[0] as string, ...window, '--ask', 'some-model']
    const said = async (...more: string[]) => (await runCli([...rest, ...more], { cwd: root })).stderr
    expect(await said()).toContain('nothing is sent without --endpoint')
    expect(await said('--endpoint', 'http://127.0.0.1:9/v1')).toContain('limit it with --max-requests')
    expect(await said('--endpoint', 'http://127.0.0.1:9/v1', '--max-requests', '5')).toContain('say --yes to send them')
    expect(await said('--endpoint', 'anthropic', '--ask', 'claude-sonnet-4-5')).toContain('--max-usd')
    const journal = freshJournal()
    const paid = [
      '--endpoint',
      'anthropic',
      '--ask',
      'claude-sonnet-4-5',
      '--max-usd',
      '1',
      '--yes',
      '--journal',
      journal,
    ]
    expect(await said(...paid)).toContain('set ANTHROPIC_API_KEY')
    expect(existsSync(journal)).toBe(false)
  })

  it('has the bodies counted, and says how far the estimates are off', async () => {
    const server = await serveModel('anthropic', bySight('aa0_0'))
    const { stdout, code, journal } = await probe(server.url, ['--api', 'anthropic', '--dry-run', '--count', '--json'])
    expect(code).toBe(0)
    const { counted, about } = JSON.parse(stdout)
    expect(counted.map(({ bodies }: { bodies: number }) => bodies)).toEqual([about.planned, about.planned])
    expect(server.asked.every(({ path }) => path.endsWith('/count_tokens'))).toBe(true)
    const before = server.asked.length
    const again = await probe(server.url, ['--api', 'anthropic', '--dry-run', '--count', '--json'], journal)
    expect([JSON.parse(again.stdout).counted, server.asked.length]).toEqual([counted, before])
    await server.close()
  })
})

/** Which window is asked about, whatever else stands in the body. */
const withoutMarks = (body: Record<string, unknown>): string =>
  JSON.stringify(body.messages, (key, value) => (key === 'cache_control' ? undefined : value))

const planOf = (policy: string, budget: number, provider: 'anthropic' | 'openai'): Plan => ({
  policies: [choose(policies.get(policy))],
  estimators: [choose(estimators.get('bytes'))],
  budgets: [budget],
  provider,
})

/** A body without the model, how much and how it answers, and marks for the cache. */
function wholeOf({ model: _, max_tokens: __, max_output_tokens: ___, stream: ____, ...body }: Body): string {
  return JSON.stringify(body, (key, value) => (key === 'cache_control' ? undefined : value))
}

const withoutSettings = ({ tools: _, ...body }: Body): string => wholeOf(body)
