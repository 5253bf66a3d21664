import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Block, Message } from '../../src/model/message.ts'
import type { Trace } from '../../src/model/trace.ts'
import type { Entry } from '../../src/policies/policy.ts'
import type { Contents } from '../../src/simulator/contents.ts'
import type { Item } from '../../src/simulator/item.ts'
import { WholeHistory } from '../../src/simulator/whole.ts'
import { EditableWindow } from '../../src/simulator/window.ts'
import { cases } from '../whole.ts'
import { messages, withGroups } from './arbitrary.ts'
import { expectWindow, itemsOf, measured } from './check-window.ts'

/** An edit, with numbers that choose its place among the messages present at that time. */
type Edit =
  | { readonly kind: 'append' | 'clear' }
  | { readonly kind: 'drop'; readonly at: number; readonly length: number }
  | { readonly kind: 'replace'; readonly at: number; readonly text: string }
  | { readonly kind: 'insert'; readonly at: number; readonly text: string }
  | {
      readonly kind: 'summarise'
      readonly at: number
      readonly length: number
      /** Undefined where the text of the summary is known. */
      readonly tokens: number | undefined
      readonly users: boolean
    }
  | { readonly kind: 'restore'; readonly at: number }

const at = fc.integer({ min: 0, max: 1000 })
const length = fc.integer({ min: 1, max: 6 })
const edits: fc.Arbitrary<Edit[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ kind: fc.constant('append' as const) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('drop' as const), at, length }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('replace' as const),
        at,
        text: fc.oneof(fc.constant(''), fc.string({ unit: 'grapheme' })),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('insert' as const), at, text: fc.string() }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('summarise' as const),
        at,
        length,
        tokens: fc.option(fc.integer({ min: 9, max: 99 }), { nil: undefined, freq: 3 }),
        users: fc.boolean(),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('restore' as const), at }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const) }) },
  ),
  { maxLength: 120 },
)

/** The window as plain rows: a transcript index or none, and the text if it is not the transcript's. */
interface Row {
  readonly index: number
  readonly text: string | null
  /** The messages that a summary stands for, also by way of other summaries. */
  readonly for?: readonly number[]
}

/** The naive model: an array edited in the obvious way. */
class Rows {
  rows: Row[] = []
  since = 0
  until = 0
  /** Results that were not taken in, as their call had left: no cut. */
  readonly refused = new Set<number>()
  readonly #list: readonly Message[]
  readonly #keepsPairs: boolean

  constructor(list: readonly Message[], keepsPairs: boolean) {
    this.#list = list
    this.#keepsPairs = keepsPairs
  }

  #isRefused(index: number): boolean {
    const { callId } = this.#list[index] as Message
    const calls = ({ blocks }: Message) => blocks.some((block) => block.type === 'call' && block.id === callId)
    const caller = callId === undefined ? -1 : this.#list.findIndex(calls)
    return this.#keepsPairs && caller >= this.since && caller < index && this.rows.every((row) => row.index !== caller)
  }

  /** @param kept the rows that a summary leaves in front of it */
  apply(edit: Edit, place: number, end: number, kept: readonly Row[]): void {
    switch (edit.kind) {
      case 'append':
        if (this.#isRefused(this.until)) this.refused.add(this.until++)
        else this.rows.push({ index: this.until++, text: null })
        break
      case 'clear':
        this.rows = []
        this.refused.clear()
        this.since = this.until
        break
      case 'drop':
        this.rows.splice(place, end - place + 1)
        break
      case 'replace':
        this.rows[place] = { ...(this.rows[place] as Row), text: edit.text }
        break
      case 'insert':
        this.rows.splice(place, 0, { index: -1, text: edit.text })
        break
      case 'summarise':
        {
          const gone = this.rows.slice(place, end + 1).filter((row) => !kept.includes(row))
          const summary = { index: -1, text: 'summary', for: gone.flatMap((row) => [row.index, ...(row.for ?? [])]) }
          this.rows.splice(place, end - place + 1, ...kept, summary)
        }
        break
      case 'restore': {
        const kept = this.rows.filter((row) => row.index >= 0 && row.index < place)
        const back = Array.from({ length: Math.max(0, this.until - Math.max(place, this.since)) }, (_, offset) => ({
          index: Math.max(place, this.since) + offset,
          text: null,
        }))
        this.rows = [...kept, ...back]
        for (const { index } of back) this.refused.delete(index)
      }
    }
  }
}

function textIn(message: Message | null): string {
  const [first] = message?.blocks ?? []
  return first?.type === 'text' ? first.text : ''
}

const indicesOf = ({ rows }: Rows): number[] => rows.map(({ index }) => index)

/** The exchanges inside, kept up to date by what has moved. */
class Followed {
  readonly #window: Contents
  readonly inside = new Set<number>()

  constructor(window: Contents) {
    this.#window = window
  }

  look(): number[] {
    for (const exchange of this.#window.takeMoved()) {
      if (this.#window.holds(exchange)) this.inside.add(exchange)
      else this.inside.delete(exchange)
    }
    return [...this.inside].sort((a, b) => a - b)
  }
}

/** Those of which a recorded message is among the given ones, which are in their order; -1 = before the first prompt. */
function exchangesOf(indices: readonly number[], trace: Trace): number[] {
  const exchange = (index: number) =>
    Array.from({ length: index + 1 }, (_, before) => Number(trace.isPrompt(before))).reduce((sum, one) => sum + one, -1)
  return [...new Set(indices.filter((index) => index >= 0).map(exchange))]
}

describe('the window after any edits', () => {
  for (const provider of ['openai', 'anthropic', 'google'] as const) {
    it(`is what a plain array would be, and counts what serializing it counts: ${provider}`, () => {
      fc.assert(
        fc.property(messages, edits, fc.boolean(), (random, script, keepsPairs) => {
          const list = provider === 'openai' ? random : withGroups(random)
          const { trace, sizes } = measured(list, provider)
          const options = { budget: 1, sent: sizes, believed: null, keepsDropped: true, keepsPairs }
          const window = new EditableWindow(trace, options)
          const model = new Rows(list, keepsPairs)
          const followed = new Followed(window)
          /** Exchanges that have left since somebody asked, and are not back. */
          const evicted = new Set<number>()
          for (const [step, edit] of script.entries()) {
            const items = itemsOf(window)
            window.beginOccasion()
            let place = 'at' in edit ? edit.at % Math.max(1, items.length) : 0
            const end = 'length' in edit ? Math.min(items.length - 1, place + edit.length - 1) : place
            const [from, to] = [items[place], items[end]]
            let kept: Row[] = []
            if (edit.kind === 'append') {
              if (model.until === list.length) continue
              window.append(model.until)
            } else if (edit.kind === 'clear') window.clear()
            else if (edit.kind === 'restore') {
              place = model.since + (edit.at % Math.max(1, model.until - model.since))
              window.restore(place)
            } else if (edit.kind === 'insert') {
              window.insert(from ?? null, { role: 'user', blocks: [{ type: 'text', text: edit.text }] })
            } else if (!from || !to) continue
            else if (edit.kind === 'drop') window.drop(from, to)
            else if (edit.kind === 'replace') window.replace(from, edit.text)
            else if (edit.kind === 'summarise') {
              const content = { role: 'user', blocks: [{ type: 'text', text: 'summary' }] } as const
              const before = window.sentTokens
              const without = window.tokensOf(from, to)
              const behind = items.slice(end + 1)
              const joinsBehind = () => behind.reduce((sum, { join }) => sum + join, 0)
              const joinsBefore = joinsBehind()
              const isUser = ({ role }: Entry) => role === 'user'
              const stays = edit.users ? items.slice(place, end + 1).map(isUser) : []
              kept = model.rows.slice(place, end + 1).filter((_, index) => stays[index])
              const summary = window.summarise(from, to, content, edit.tokens, edit.users ? isUser : undefined)
              const written = edit.tokens ?? sizes.tokens(summary.size)
              const gone = model.rows.slice(place, end + 1).flatMap((row) => (kept.includes(row) ? [] : [row.index]))
              // What stands behind the summary is joined with another message than before.
              const added = (window.unitsOf(summary) + joinsBehind() - joinsBefore) / 4
              expect(Math.abs(written - summary.size / 4)).toBeLessThanOrEqual(1)
              if (kept.length === 0)
                expect(Math.abs(window.sentTokens - (before - without + added))).toBeLessThanOrEqual(2)
              const unread = edit.tokens === undefined ? [] : gone.filter((index) => index >= 0)
              expect(window.takeSummaries()).toEqual([{ readTokens: without, writtenTokens: written, unread }])
            }
            const before = exchangesOf(indicesOf(model), trace)
            model.apply(edit, place, end, kept)
            const held = {
              rows: itemsOf(window).map(({ index, message }) => [index, textIn(message)]),
              history: window.historyTokens,
              cutoff: window.cutoff,
              hasLatestPrompt: window.hasLatestPrompt,
            }
            const come = Array.from({ length: model.until - model.since }, (_, offset) => model.since + offset)
            const prompt = come.findLast((index) => trace.isPrompt(index))
            const left = come.findLast(
              (index) => !model.refused.has(index) && model.rows.every((row) => row.index !== index),
            )
            let cutoff = left === undefined ? null : left + 1
            while (cutoff !== null && model.refused.has(cutoff)) cutoff++
            const modelled = {
              rows: model.rows.map(({ index, text }) => [index, text ?? textIn(list[index] as Message)]),
              history: wholeTokens(list.slice(model.since, model.until), provider),
              cutoff,
              hasLatestPrompt:
                prompt === undefined || model.rows.some((row) => row.index === prompt || row.for?.includes(prompt)),
            }
            // Matchers are slow after each of some thousand edits: they show what differs.
            if (!isDeepStrictEqual(held, modelled)) expect(held).toEqual(modelled)
            const inside = exchangesOf(indicesOf(model), trace)
            if (step % 3 === 2) expect(followed.look()).toEqual(inside)
            for (const exchange of before) if (exchange >= 0 && !inside.includes(exchange)) evicted.add(exchange)
            for (const exchange of inside) evicted.delete(exchange)
            if (edit.kind === 'clear') evicted.clear()
            if (step % 4 === 3) {
              expect(window.takeEvicted()).toEqual([...evicted].sort((a, b) => a - b))
              evicted.clear()
            }
            expectWindow(window, trace, provider, model.since, model.until)
          }
        }),
        { numRuns: cases(50) },
      )
    })
  }
})

it('tells of a history that nobody edits, too, which exchanges came and left', () => {
  fc.assert(
    fc.property(messages, fc.infiniteStream(fc.nat(9)), (list, choices) => {
      const { trace, sizes } = measured(list, 'openai')
      const history = new WholeHistory(trace, sizes)
      const followed = new Followed(history)
      let since = 0
      for (let index = 0; index < list.length; index++) {
        const choice = choices.next().value
        if (choice === 0) {
          history.clear()
          since = index
        }
        if (choice === 1) {
          const indices = Array.from({ length: index - since }, (_, at) => since + at)
          expect(followed.look()).toEqual(exchangesOf(indices, trace))
        }
        history.append(index)
      }
    }),
  )
})

/** Tokens of a window with all messages inside. */
function wholeTokens(list: readonly Message[], provider: 'openai' | 'anthropic' | 'google'): number {
  const { trace, sizes } = measured(list, provider)
  const window = new EditableWindow(trace, { budget: 1, sent: sizes, believed: null, keepsDropped: false })
  for (let index = 0; index < list.length; index++) window.append(index)
  return window.sentTokens
}

it('tells of a drop in front how far it reaches, whatever has come behind since', () => {
  const list: Message[] = Array.from({ length: 20 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    line: index + 1,
    blocks: [{ type: 'text', text: 'w' }],
    ...(index % 2 === 1 && { responseId: `r${index}` }),
  }))
  const { trace, sizes } = measured(list, 'anthropic')
  const window = new EditableWindow(trace, { budget: 1, sent: sizes, believed: null, keepsDropped: true })
  for (let index = 0; index < 18; index++) window.append(index)
  window.drop(window.first as Item, window.first?.next as Item)
  expect([window.changedFrom, window.changedTo]).toEqual([0, 2])
  window.append(18)
  expect([window.changedFrom, window.changedTo]).toEqual([0, 2])
})

it('counts calls that a policy cuts out of a message as gone with their results', () => {
  const call = (id: string): Block => ({ type: 'call', id, name: 'read', input: {} })
  const said: Block = { type: 'text', text: 'I look' }
  const list: Message[] = [
    { role: 'assistant', line: 1, blocks: [said, call('a'), call('b')] },
    { role: 'tool', line: 2, callId: 'a', blocks: [] },
    { role: 'tool', line: 3, callId: 'b', blocks: [] },
  ]
  const { trace, sizes } = measured(list, 'openai')
  const window = new EditableWindow(trace, { budget: 1, sent: sizes, believed: null, keepsDropped: true })
  const [maker, first, second] = list.map((_, index) => window.append(index)) as [Item, Item, Item]
  const orphans = () => [window.pairs.orphanCalls, window.pairs.orphanResults]
  window.drop(first, first)
  expect(orphans()).toEqual([1, 0])
  window.replace(maker, [said, call('b')])
  expect(orphans()).toEqual([0, 0])
  window.replace(maker, [said])
  expect(orphans()).toEqual([0, 1])
  window.drop(second, second)
  window.drop(maker, maker)
  expect(orphans()).toEqual([0, 0])
  window.restore()
  expect(orphans()).toEqual([0, 0])
  expect(itemsOf(window)).toHaveLength(3)
})

it('has the newest user message as long as a summary of it, or of that summary, is inside', () => {
  const list: Message[] = (['user', 'assistant', 'assistant', 'user'] as const).map((role, index) => ({
    role,
    line: index + 1,
    blocks: [{ type: 'text', text: 'words' }],
  }))
  const summary = { role: 'user', blocks: [{ type: 'text', text: 'what was said' }] } as const
  const { trace, sizes } = measured(list, 'openai')
  const window = new EditableWindow(trace, { budget: 1, sent: sizes, believed: null, keepsDropped: true })
  const prompt = window.append(0)
  const first = window.summarise(prompt, window.append(1), summary)
  expect(window.hasLatestPrompt).toBe(true)
  const second = window.summarise(first, window.append(2), summary)
  expect(window.hasLatestPrompt).toBe(true)
  window.drop(second, second)
  expect(window.hasLatestPrompt).toBe(false)
  window.restore()
  expect(window.hasLatestPrompt).toBe(true)
  // Of a newer message an older summary says nothing.
  window.summarise(prompt, prompt, summary)
  const newest = window.append(3)
  window.drop(newest, newest)
  expect(window.hasLatestPrompt).toBe(false)
})

it('names an exchange once that has left twice since it was last asked', () => {
  const list: Message[] = (['user', 'assistant'] as const).map((role, index) => ({
    role,
    line: index + 1,
    blocks: [{ type: 'text', text: 'words' }],
  }))
  const { trace, sizes } = measured(list, 'openai')
  const window = new EditableWindow(trace, { budget: 1, sent: sizes, believed: null, keepsDropped: false })
  for (const index of [0, 1]) {
    const item = window.append(index)
    window.drop(item, item)
  }
  expect(window.takeEvicted()).toEqual([0])
})

it('names an exchange once that a view takes back and drops again each time', () => {
  const list: Message[] = (['user', 'assistant', 'user', 'assistant'] as const).map((role, index) => ({
    role,
    line: index + 1,
    blocks: [{ type: 'text', text: 'words' }],
  }))
  const { trace, sizes } = measured(list, 'openai')
  const window = new EditableWindow(trace, { budget: 1, sent: sizes, believed: null, keepsDropped: true })
  const evicted: number[][] = []
  const act = (last: number) => {
    window.beginOccasion()
    window.restore()
    window.drop(window.first as Item, itemsOf(window)[last] as Item)
    evicted.push(window.takeEvicted())
  }
  for (let index = 0; index < 4; index++) window.append(index)
  for (const last of [0, 1, 2, 3, 3]) act(last)
  expect(evicted).toEqual([[], [0], [], [1], []])
})
