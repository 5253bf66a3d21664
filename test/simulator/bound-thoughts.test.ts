import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simulate } from '../../src/app/by-plan.ts'
import { firstCell, type Plan, sizersFor } from '../../src/app/plan.ts'
import { choose } from '../../src/base/chosen.ts'
import bytes from '../../src/estimators/bytes.ts'
import type { Block, Message } from '../../src/model/message.ts'
import type { TraceRun } from '../../src/model/run.ts'
import { isThought } from '../../src/model/thoughts.ts'
import { policies } from '../../src/policies/index.ts'
import { captureEach } from '../../src/simulator/capture.ts'
import type { Item } from '../../src/simulator/item.ts'
import { EditableWindow } from '../../src/simulator/window.ts'
import { headOf, messages, traceOf } from './arbitrary.ts'
import { itemsOf, measured, recount } from './check-window.ts'

/** Two of three answers have thought, and said something besides. */
const thinking = messages.map((list) =>
  list.map((message, at): Message => {
    if (message.role !== 'assistant' || at % 3 === 0) return message
    const thinking = `thought ${at}`
    const value = { type: 'thinking', thinking, signature: 'c2ln' }
    return {
      ...message,
      blocks: [
        { type: 'thinking', text: thinking, wire: { provider: 'anthropic', value } },
        { type: 'text', text: 'said' },
        ...message.blocks,
      ],
    }
  }),
)

type Edit = { readonly kind: 'drop' | 'mask' | 'insert' | 'think' | 'restore' | 'none'; readonly at: number }
const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom('none', 'none', 'none', 'drop', 'mask', 'insert', 'think', 'restore'),
  at: fc.nat(1000),
})

const nothing: Edit = { kind: 'none', at: 0 }

const bare = ({ blocks }: Message): string => JSON.stringify(blocks.filter((block) => !isThought(block)))
const hasThoughts = ({ blocks }: Message): boolean => blocks.some(isThought)

interface Sent {
  readonly index: number
  readonly message: Message
}

/** What a provider would check: each thought against the request that it was the answer to. */
class Provider {
  /** By message: what stood before it when it was thought, and the thought before it. */
  readonly #known = new Map<number, { readonly before: readonly string[]; readonly previous: number | undefined }>()
  /** Thoughts that a policy took out in the request before. */
  #gone = new Set<number>()
  /** Thoughts that were not in every request since. */
  readonly away = new Set<number>()
  /** A thought that was refused once is not sent again. */
  readonly refused = new Set<number>()

  /** @param request that it answers */
  answered(index: number, request: readonly Sent[]): void {
    const previous = request.findLast((one) => this.#sends(one))?.index
    this.#known.set(index, { before: request.map(({ message }) => bare(message)), previous })
  }

  /** @param items of a request, in which nothing has been taken out for the provider */
  check(items: readonly Sent[]): void {
    const said = items.map(({ message }) => bare(message))
    const sent = new Set(items.filter((one) => this.#sends(one)).map(({ index }) => index))
    for (const index of this.#known.keys()) if (!sent.has(index)) this.away.add(index)
    let last: number | undefined
    let isBack = false
    const gone = new Set<number>()
    for (const [at, one] of items.entries()) {
      if (this.#known.has(one.index) && !hasThoughts(one.message)) gone.add(one.index)
      if (!this.#sends(one)) continue
      const { before, previous } = this.#known.get(one.index)!
      const isSame = at === before.length && before.every((words, place) => words === said[place])
      // What is sent of them is an unbroken run, which may begin with any.
      if (isSame && !isBack && (last === undefined || last === previous)) last = one.index
      else this.refused.add(one.index)
      // Those that were thought while it was gone are refused; which ones they are is not told apart.
      isBack ||= this.#gone.has(one.index)
    }
    this.#gone = gone
  }

  #sends({ index, message }: Sent): boolean {
    return hasThoughts(message) && this.#known.has(index) && !this.refused.has(index)
  }
}

describe('reasoning bound to what stands before it', () => {
  it.each([false, true])('is what a provider would refuse, edits undone: %s', (keepsDropped) => {
    let refusedAtAll = 0
    fc.assert(
      fc.property(thinking, fc.array(edit, { maxLength: 60 }), (list, edits) => {
        const { trace, sizes } = measured(list, 'anthropic')
        const window = new EditableWindow(trace, {
          ...{ budget: 0, sent: sizes, believed: null, keepsDropped, bindsThoughts: true },
        })
        const provider = new Provider()
        const original = (index: number) => trace.messages?.[index] as Message
        /** As if nothing had been taken out of it for the provider. */
        const withThoughts = ({ index, replaced, message }: Item): Sent => ({
          index,
          message: index >= 0 && !replaced ? original(index) : (message as Message),
        })
        for (let index = 0; index < list.length; index++) {
          if (trace.isResponse(index)) {
            act(window, edits[index] ?? nothing, original)
            provider.check(itemsOf(window).map(withThoughts))
            window.unbind()
            for (const { index: one, replaced, stripped } of itemsOf(window)) {
              if (one < 0 || replaced || !hasThoughts(original(one))) continue
              // Of what was away for a while nobody knows whether all before it was the same all the time.
              if (provider.refused.has(one) || !provider.away.has(one))
                expect(stripped, `message ${one}`).toBe(provider.refused.has(one))
            }
            for (const { index: one, message, stripped: is } of itemsOf(window))
              if (is) expect(hasThoughts(message as Message), `message ${one}`).toBe(false)
            expect(window.sentTokens).toBe(recount(window, trace, 'anthropic'))
            refusedAtAll += provider.refused.size
            if (hasThoughts(original(index))) provider.answered(index, itemsOf(window).map(withThoughts))
          }
          window.append(index)
        }
      }),
      { numRuns: 100 },
    )
    expect(refusedAtAll).toBeGreaterThan(100)
  })
})

function act(window: EditableWindow, { kind, at }: Edit, original: (index: number) => Message): void {
  const items = itemsOf(window)
  if (items.length === 0) return
  const item = items[at % items.length] as Item
  const words = (text: string): Block[] => [{ type: 'text', text }]
  if (kind === 'drop') window.drop(item, item)
  else if (kind === 'mask' && item.index >= 0) window.replace(item, words('[masked]'))
  else if (kind === 'insert') window.insert(item, { role: 'user', blocks: words('[note]') })
  else if (kind === 'think' && item.index >= 0 && !item.replaced && hasThoughts(item.message as Message))
    window.replace(
      item,
      original(item.index).blocks.filter((block) => !isThought(block)),
    )
  else if (kind === 'restore') {
    try {
      window.restore()
    } catch {
      // Only a view may.
    }
  }
}

describe('a run', () => {
  const model = 'claude-opus-5-5'
  const text = (words: number): Block => ({ type: 'text', text: 'word '.repeat(words) })
  const thought = (nth: number): Block => {
    const thinking = `thought ${nth} `.repeat(20)
    const value = { type: 'thinking', thinking, signature: 'c2ln' }
    return { type: 'thinking', text: thinking, wire: { provider: 'anthropic', value } }
  }
  /** Five reads, each with a thought, and an answer. */
  const list = [
    { role: 'user', line: 1, blocks: [text(9)] },
    ...Array.from({ length: 5 }, (_, nth): Message[] => [
      {
        ...{ role: 'assistant', line: 2 * nth + 2 },
        blocks: [thought(nth), { type: 'call', id: `c${nth}`, name: 'read', input: {} }],
      },
      { role: 'tool', line: 2 * nth + 3, callId: `c${nth}`, blocks: [text(300)] },
    ]).flat(),
    { role: 'assistant', line: 12, blocks: [text(3)] },
  ] as const satisfies readonly Message[]

  const asked = (name: string, params: Record<string, unknown>, model: string | null) => {
    const plan: Plan = {
      policies: [choose(policies.get(name), params)],
      estimators: [choose(bytes)],
      budgets: [600],
      model,
      provider: 'anthropic',
    }
    const trace = traceOf(list, sizersFor(plan)({ ...headOf('anthropic') }), 'anthropic')
    return { trace, plan }
  }
  const runOf = (...how: Parameters<typeof asked>) => {
    const { trace, plan } = asked(...how)
    return simulate(trace, plan, 'request')[0]!
  }
  const masks = ['mask-tool-results', { keepFirst: 0, keepLast: 1, scope: 'all' }] as const

  it('sends no reasoning that is bound to what it changed, pays for none, and says how much that was', () => {
    const run = runOf(...masks, model)
    const free = runOf(...masks, 'claude-opus-4-5')
    // From the third request on the first result is masked: all that was thought behind it is gone, and whatever comes is bound anew.
    const bytesOf = (nth: number) =>
      Buffer.byteLength(JSON.stringify((thought(nth) as { wire: { value: object } }).wire.value)) + 1
    const lost = [0, 0, 1, 2, 3, 4].map((last) => {
      let bytes = 0
      for (let nth = 1; nth <= last; nth++) bytes += bytesOf(nth)
      return bytes
    })
    const sent = (one: TraceRun) => (one.rows ?? []).map(({ sentTokens }) => sentTokens)
    expect(sent(run).map((tokens, at) => tokens + Math.round(lost[at]! / 4))).toEqual(
      sent(free).map((tokens) => expect.closeTo(tokens, -0.5)),
    )
    expect(run.thinkingLostTokens).toBeCloseTo(lost[5]! / 4, -0.5)
    expect(run.validity).toMatchObject({ thinkingLost: 4 })
    expect(run.firstFaults).toContainEqual({ fault: 'thinkingLost', request: 2, line: 6 })
    expect(run.exact.invalidRequests).toBe(0)
    expect(run.cost.paid).toBeLessThan(free.cost.paid)
    expect(run.fullTokens).toBeCloseTo(free.fullTokens, -1)
  })

  it('loses none where nobody checks it, where nothing changes, and where the API itself edits', () => {
    expect(runOf(...masks, 'claude-opus-4-5')).toMatchObject({ thinkingLostTokens: 0, validity: { thinkingLost: 0 } })
    expect(runOf('keep-all', {}, model).thinkingLostTokens).toBe(0)
    const served = runOf('anthropic-clear-tool-uses', { keep: 1 }, model)
    expect(served).toMatchObject({ thinkingLostTokens: 0, validity: { thinkingLost: 0 } })
    expect(served.exact.edits).toBeGreaterThan(0)
  })

  it('counts no request from which the policy took the reasoning itself, and nothing behind the last request', () => {
    const taken = runOf(
      'knobs',
      { operation: 'drop-thinking', target: 'all', protect: 'nothing', trigger: 'always' },
      model,
    )
    expect(taken).toMatchObject({ thinkingLostTokens: 0, validity: { thinkingLost: 0 } })
    expect(taken.exact.edits).toBeGreaterThan(0)
    // The views of a library are made anew for each request, and take it out, too.
    const pruned = runOf('vercel-prune', { toolCalls: 'none', reasoning: 'all' }, model)
    expect(pruned).toMatchObject({ thinkingLostTokens: 0, validity: { thinkingLost: 0 } })
    // The exchange is over, and what is cut then goes out with no request.
    const late = runOf('ikigai', {}, model)
    expect(late.fullTokens).toBe(late.sentTokens)
    expect(late).toMatchObject({ thinkingLostTokens: 0, validity: { thinkingLost: 0 } })
  })

  it.each<[string, Record<string, unknown>]>([
    ['vercel-prune', { toolCalls: 'before-last-2-messages' }],
    ['vercel-prune', { toolCalls: 'before-last-4-messages' }],
    ['drop-steps', { keepLast: 1 }],
    [...masks],
  ])('counts the requests that go out without some, under %s %j', (name, params) => {
    const sent = (model: string) => {
      const { trace, plan } = asked(name, params, model)
      return [...captureEach(firstCell(trace, plan))].map(({ messages }) =>
        JSON.stringify(messages.map(({ blocks }) => blocks)),
      )
    }
    const [bound, free] = [sent(model), sent('claude-opus-4-5')]
    const differ = bound.slice(0, -1).filter((request, at) => request !== free[at])
    expect(runOf(name, params, model).validity.thinkingLost).toBe(differ.length)
  })

  it('does not say what nobody knows of the model', () => {
    expect(runOf(...masks, 'gpt-6.2').thinkingLostTokens).toBe(null)
    expect(runOf(...masks, null).thinkingLostTokens).toBe(null)
  })
})
