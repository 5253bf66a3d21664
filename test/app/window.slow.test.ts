/** Bodies that `window` prints can be sent: held to the providers' references, over all fixtures and real transcripts. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { choose, estimators, openFile, type Plan, policies, readTraces, type Trace } from '../../src/app/index.ts'
import { type WindowRequest, windowRequest } from '../../src/app/window.ts'
import type { ProviderName } from '../../src/model/message.ts'
import { problemsOf } from '../providers/apis/rules.ts'

const planOf = (policy: string, budget: number, provider: ProviderName | null): Plan => ({
  policies: [choose(policies.get(policy))],
  estimators: [choose(estimators.get('bytes'))],
  budgets: [budget],
  provider,
  model: 'some-model',
})

const targets = [
  [null, null],
  ['anthropic', null],
  ['openai', 'chat'],
  ['openai', 'responses'],
  ['google', null],
] as const

/**
 * Everything that is wrong with the bodies of some requests of one transcript, and is not said. Half of the APIs are asked for
 * a request in the middle, and the others for the one at the end, by turns from transcript to transcript.
 */
function unsaid(trace: Trace, file: string, turn: number): string[] {
  const found: string[] = []
  const look = (plan: Plan, api: 'chat' | 'responses' | null, at: number): void => {
    const request = windowRequest(trace, plan, at, api)
    for (const problem of wrong(request)) found.push(`${file} ${request.api} at ${at}: ${problem}`)
  }
  const { requests } = trace
  for (const [nth, [provider, api]] of targets.entries())
    look(planOf('keep-all', 0, provider), api, (nth + turn) % 2 === 0 ? Math.floor(requests / 2) : requests)
  look(planOf('ikigai', 2000, null), null, turn % 4 === 0 ? 0 : Math.max(0, requests - 1))
  return found
}

/** A body that would be refused says so, and any other holds to the rules. */
function wrong({ api, body, doubts }: WindowRequest): readonly string[] {
  const problems = problemsOf(api, body)
  const isSaid = doubts.some((doubt) => doubt.startsWith('it would be refused'))
  if (isSaid) return problems.length > 0 ? [] : [`${doubts.join('; ')}: but nothing is wrong`]
  return problems
}

const filesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => /\.(jsonl|ndjson|json|traj)$/.test(path) && statSync(path).isFile())
    .sort()

let turn = 0

async function problemsIn(file: string, most: number): Promise<{ traces: number; found: string[] }> {
  const found: string[] = []
  let traces = 0
  try {
    for await (const trace of readTraces([openFile(file)], { plan: planOf('keep-all', 0, null) })) {
      if (traces++ >= most) break
      for (const problem of unsaid(trace, file, turn++)) found.push(problem)
    }
  } catch (error) {
    // Not a transcript.
    if (!('code' in (error as object))) throw error
  }
  return { traces, found }
}

describe('the body of a request', () => {
  it('of any fixture, for any API, is refused only if it says so', async () => {
    let traces = 0
    const all: string[][] = []
    for (const file of filesIn('fixtures')) {
      const { traces: read, found } = await problemsIn(file, Infinity)
      traces += read
      all.push(found)
    }
    expect(all.flat()).toEqual([])
    expect(traces).toBeGreaterThan(100)
  })

  it('of any policy is refused only if it says so', async () => {
    const file = 'fixtures/claude-code/refactor.jsonl'
    const found: string[] = []
    for await (const trace of readTraces([openFile(file)], { plan: planOf('keep-all', 0, null) })) {
      for (const { name } of policies.all) {
        for (const [provider, api] of targets.slice(1, 3)) {
          const request = windowRequest(trace, planOf(name, 16_000, provider), 25, api)
          for (const problem of wrong(request)) found.push(`${name} for ${request.api}: ${problem}`)
        }
      }
    }
    expect(found).toEqual([])
  })

  const corpus = process.env.CTXWIN_CORPUS ?? '../shared/corpus'
  it.skipIf(!existsSync(corpus))('of real transcripts, too', { timeout: 600_000 }, async () => {
    // Every fourth file that is no large one: all formats take their turn in a few seconds.
    const files = filesIn(corpus).filter((path, at) => at % 4 === 0 && statSync(path).size < 300_000)
    let traces = 0
    const all: string[][] = []
    for (const file of files) {
      const { traces: read, found } = await problemsIn(file, 3)
      traces += read
      all.push(found)
    }
    expect(all.flat()).toEqual([])
    expect(traces).toBeGreaterThan(20)
  })
})
