import { describe, expect, it } from 'vitest'
import { presentOf } from '../../../src/app/answer/present.ts'
import { caseOf, type Plan } from '../../../src/app/plan.ts'
import { choose } from '../../../src/base/chosen.ts'
import auto from '../../../src/estimators/auto.ts'
import type { Message, Usage } from '../../../src/model/message.ts'
import type { Compaction, Trace } from '../../../src/model/trace.ts'
import asRecorded from '../../../src/policies/as-recorded.ts'
import { policies } from '../../../src/policies/index.ts'
import { references } from '../../../src/references/digest.ts'
import { recordedCuts } from '../../../src/references/read-again.ts'
import { recordedCompactions } from '../../../src/simulator/recorded-compactions.ts'
import { traceOf } from '../../simulator/arbitrary.ts'

const plan: Plan = {
  policies: [choose(asRecorded)],
  estimators: [choose(auto)],
  budgets: [],
  references: true,
}

interface Step {
  /** The file that is read, and the tokens of the request as the provider counted them. */
  readonly file: string
  readonly input: number
  /** Its text is replaced instead. */
  readonly edits?: boolean
}

const textOf = (file: string) => `the text of ${file} in src/${file}.ts, which is the same however often it is read`

/** An agent that reads a file with each request, and compacted before each of some requests. */
function session(
  steps: readonly Step[],
  cutsBefore: readonly number[],
  summary: string,
  format = 'claude-code',
): Trace {
  const compactions: Compaction[] = []
  const list: Message[] = [{ role: 'user', line: 1, blocks: [{ type: 'text', text: 'Look at all files.' }] }]
  for (const [request, { file, input, edits = false }] of steps.entries()) {
    if (cutsBefore.includes(request)) {
      const said: Message = { role: 'user', line: list.length, blocks: [{ type: 'text', text: summary }] }
      compactions.push({ at: list.length, keptFrom: list.length, summary: [said], line: list.length })
    }
    const usage: Usage = { input, output: 10, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 }
    const id = `call_${request}`
    const path = { file_path: `/app/src/${file}.ts` }
    const call = edits
      ? ({ type: 'call', id, name: 'Edit', input: { ...path, old_string: textOf(file), new_string: 'x' } } as const)
      : ({ type: 'call', id, name: 'Read', input: path } as const)
    list.push({ role: 'assistant', line: list.length + 1, blocks: [call], usage })
    const text = edits ? 'done' : textOf(file)
    list.push({ role: 'tool', line: list.length + 1, callId: id, blocks: [{ type: 'text', text }] })
  }
  const sizer = (message: Message) => 4 + message.blocks.length * 20
  return traceOf(list, [sizer], 'anthropic', { compactions, head: { format, model: null }, digest: references })
}

const steps = (files: string, inputs: (request: number) => number): Step[] =>
  [...files].map((file, request) => ({ file, input: inputs(request) }))
const named = (name: string) => policies.get(name)

describe('the present setting', () => {
  const growing = (request: number): number => (request < 6 ? 100_000 + 10_000 * request : 30_000)

  it('is the program’s own way, at the window where it compacted', () => {
    const present = presentOf(session(steps('abcdefgh', growing), [6], 'told'))
    expect(present?.policy.plugin).toBe(named('claude-code-auto'))
    expect(present?.budget).toBe(150_010 + 33_000)
    const codex = presentOf(session(steps('abcdefgh', growing), [6], 'told', 'codex'))
    expect([codex?.policy.plugin, codex?.budget]).toEqual([named('codex-compact'), Math.ceil((150_010 * 10) / 9)])
  })

  it('acts there by that budget, and not a token before', () => {
    for (const policy of policies.all) {
      if (!policy.budgetFor) continue
      for (const tokens of [60_000, 167_123]) {
        const budget = policy.budgetFor(tokens)
        const said = policy.turnOn?.(choose(policy).values, budget, { model: null, version: null })?.note
        // What the settings say of where it acts is the same place.
        if (said?.includes('compacts at')) expect(said).toMatch(new RegExp(`${Math.floor(tokens / 1000)}(\\.\\d)?k`))
      }
    }
  })

  it('is not known where nothing was compacted, or only what a user asked for, or of a program without one', () => {
    expect(presentOf(session(steps('abcdefgh', growing), [], ''))).toBeNull()
    expect(presentOf(session(steps('abcdefgh', growing), [2], 'told'))).toBeNull()
    expect(presentOf(session(steps('abcdefgh', growing), [6], 'told', 'cursor'))).toBeNull()
  })
})

describe('what recorded compactions did', () => {
  // Behind the cut a, b and c are read again; in front of it only b was.
  const trace = session(
    steps('abcdebfghabcijkl', (request) => (request < 9 ? 50_000 + 5000 * request : 5000 * (request - 5))),
    [9],
    'It was about src/a.ts and nothing else.',
  )

  it('is read from the requests on both sides', () => {
    const { sizes, digest } = caseOf(trace, plan)
    const [cut, ...others] = recordedCuts(trace, digest as NonNullable<typeof digest>, sizes)
    expect(others).toEqual([])
    const size = sizes.tokens(sizes.of(2))
    expect(cut).toEqual({
      request: 9,
      droppedTokens: 50_000 + 5000 * 8 + 10 - 20_000,
      before: { over: 9, tokens: size, requests: 1 },
      behind: { over: 7, tokens: 3 * size, requests: 3 },
    })
    const found = recordedCompactions(caseOf(trace, plan))
    expect(found).toMatchObject({ cuts: 1, droppedTokens: 70_010 })
    expect(found.rereadTokens).toBeCloseTo(3 * size - (7 / 9) * size, 6)
    expect(found.rereadRequests).toBeCloseTo(3 - 7 / 9, 6)
  })

  it('knows which later uses of content a summary holds: those whose text it has, and not what it only names', () => {
    const of = (summary: string) => {
      const reads = steps('abcdebfgh', (request) => 50_000 + 5000 * request)
      const edits = steps('abc', () => 20_000).map((one) => ({ ...one, edits: true }))
      const one = session([...reads, ...edits, ...steps('ijkl', () => 20_000)], [9], summary)
      return recordedCompactions(caseOf(one, plan))
    }
    expect(of(`It said:\n${textOf('a')}`)).toMatchObject({ uses: 3, kept: 1 })
    expect(of(['a', 'b', 'c'].map(textOf).join('\n'))).toMatchObject({ uses: 3, kept: 3 })
    expect(of('src/a.ts src/b.ts src/c.ts')).toMatchObject({ uses: 3, kept: 0 })
    // Of an empty one nothing is known.
    expect(of('')).toMatchObject({ uses: 0, kept: 0 })
  })

  it('tells nothing where too few requests stand on a side', () => {
    const early = session(
      steps('abcabc', (request) => (request < 3 ? 50_000 : 20_000)),
      [3],
      'told',
    )
    expect(recordedCompactions(caseOf(early, plan)).cuts).toBe(0)
  })
})
