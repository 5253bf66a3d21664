/** The witness of a check, made again the long way: request by request, and from the bytes of each message. */
import { describe, expect, it } from 'vitest'
import { readTraces, simulateSources } from '../../../src/app/analyse.ts'
import { caseOf, type Plan } from '../../../src/app/plan.ts'
import bytes from '../../../src/estimators/bytes.ts'
import type { ApiName } from '../../../src/model/message.ts'
import { Passing } from '../../../src/model/passing.ts'
import { recordedRequests } from '../../../src/model/recorded.ts'
import { thoughtsOf } from '../../../src/model/thoughts.ts'
import { type Fit, offPercent } from '../../../src/model/witness.ts'
import keepAll from '../../../src/policies/keep-all.ts'
import type { RequestParts } from '../../../src/providers/apis/api.ts'
import { apis } from '../../../src/providers/apis/index.ts'
import { openFile } from '../../../src/readers/lines/source.ts'

const perByte = 1 / 4
const plan: Plan = {
  policies: [{ plugin: keepAll, values: {} }],
  estimators: [{ plugin: bytes, values: { bytesPerToken: 4 } }],
  budgets: [0, 1000],
  references: false,
}

const files = [
  'fixtures/claude-code/refactor.jsonl',
  'fixtures/codex/compaction.jsonl',
  'fixtures/opencode/session.json',
  'fixtures/pi/tree.jsonl',
  'fixtures/openai-chat/tools.jsonl',
]

function bytesOf(api: ApiName, given: Partial<RequestParts>): number {
  const parts = { model: null, maxTokens: 0, system: [], tools: undefined, messages: [], ...given }
  return Buffer.byteLength(JSON.stringify(apis[api].body(parts, { media: 0, tools: 0 })))
}

describe('the witness of a transcript', () => {
  it.each(files)('of %s is what its requests and its messages say', async (file) => {
    const { runs } = await simulateSources([openFile(file)], plan, { apart: true, witness: true })
    let nth = 0
    for await (const trace of readTraces([openFile(file)], { plan })) {
      // One for each budget.
      const [witness, other] = [runs[nth++]?.witness, runs[nth++]?.witness]
      expect(other).toEqual(witness)
      const { provider, api, settings } = caseOf(trace, plan).context
      const written = [
        ...trace.messages,
        ...trace.compactions.flatMap(({ summary, restored = [] }) => [...summary, ...restored]),
        ...trace.clearings.flatMap(({ left }) => [...left].map(([at, blocks]) => trace.withContent(at, blocks))),
      ].reduce((sum, message) => sum + bytesOf(api, { messages: [message] }) - bytesOf(api, {}), 0)
      const own = bytesOf(api, { ...settings, ...trace.preamble })
      expect(witness?.contentTokens).toBeCloseTo((written + own) * perByte, 2)

      const meter = bytes.meter({ provider, model: null, api }, { bytesPerToken: 4 })
      const beyond = trace.messages.map((_, at) => {
        const request = Array.from({ length: trace.requests }, (_, one) => trace.requestAt(one)).indexOf(at)
        const output = request < 0 ? 0 : (trace.usage(request)?.output ?? 0)
        const tokens = trace.units(at, 0) * perByte
        return output >= 0.8 * tokens ? Math.max(0, output - tokens) : 0
      })
      const fits: Fit[] = [
        { preamble: 0, factor: 1, thought: 0 },
        { preamble: 700, factor: 1.3, thought: 0.5 },
      ]
      for (const { preamble, factor, thought } of fits) {
        const share = factor * perByte
        const joins = meter.joins(trace.preamble)
        const { model, format: program } = trace.head
        const thoughts = (at: number) => thought * (beyond[at] ?? 0)
        const { requests } = recordedRequests(trace, {
          ...(thoughtsOf({ program, model }).after === 'drops'
            ? { of: (at) => share * trace.units(at, 0), passing: new Passing(trace, thoughts) }
            : { of: (at) => share * trace.units(at, 0) + thoughts(at) }),
          message: (message) => share * meter.message(message),
          joins: (end, shape) => share * joins(end, shape),
        })
        const front = preamble + (trace.preamble.complete ? share * own : 0)
        expect(witness?.usage?.requests ?? 0).toBe(requests.length)
        if (!witness?.usage) continue
        const recorded = requests.reduce((sum, { input }) => sum + input, 0)
        const counted = requests.reduce(
          (sum, { units, anchor }) => sum + units + (anchor ? anchor.input - anchor.units : front),
          0,
        )
        expect(witness.usage.inputTokens).toBe(recorded)
        const off = (100 * (counted - recorded)) / recorded
        expect(offPercent(witness.usage, { preamble, factor, thought })).toBeCloseTo(off, 6)
      }
    }
    expect(nth).toBe(runs.length)
    expect(nth).toBeGreaterThan(0)
  })
})
