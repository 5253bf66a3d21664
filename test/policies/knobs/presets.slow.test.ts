/** Reads the table of docs/compose.md, and replays both sides of each row on random conversations. */
import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitPlugin } from '../../../src/cli/inputs/options.ts'
import type { Block, Message } from '../../../src/model/message.ts'
import { textOf } from '../../../src/model/message.ts'
import { compose } from '../../../src/policies/compose.ts'
import { policies } from '../../../src/policies/index.ts'
import { transcriptsUpTo } from '../../laws/transcripts.ts'
import { messages } from '../../simulator/arbitrary.ts'
import { itemsOf } from '../../simulator/check-window.ts'
import { atRequests } from '../requests.ts'

const document = readFileSync(new URL('../../../docs/compose.md', import.meta.url), 'utf8')

/** The cells of the table under a heading, without code marks. */
function tableUnder(heading: string): string[][] {
  const [, section = ''] = document.split(`\n## ${heading}\n`)
  const rows = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'))
  return rows.map((row) => row.slice(2, -2).split(' | '))
}

const unquoted = (cell: string) => cell.replace(/^`|`$/g, '')

/** Letters become numbers, and sums in brackets their results. */
function withNumbers(cell: string, numbers: Readonly<Record<string, number>>): string {
  return cell
    .replaceAll(/\b[NMFSPL]\b/g, (letter) => String(numbers[letter]))
    .replaceAll(/\((\d+)([+*])(\d+)\)/g, (_, one, sign, other) =>
      String(sign === '+' ? Number(one) + Number(other) : Number(one) * Number(other)),
    )
}

/** A policy, or several in a row. */
function policyOf(cell: string, numbers: Readonly<Record<string, number>>) {
  const steps = cell.split(' then ').map((word) => {
    const { name, given } = splitPlugin(withNumbers(unquoted(word), numbers))
    return { [name]: given }
  })
  return compose('one', steps)
}

const tools = ['Read', 'Bash', 'skill', 'ask_user', 'grep']

/** Other tools than `read`, thoughts, texts that differ, and times with long pauses. */
function colourful(list: readonly Message[], longer: number): Message[] {
  let time = 0
  const toolOf = new Map<string, string>()
  return list.map((message, index): Message => {
    const blocks = message.blocks.flatMap((block): Block[] => {
      if (block.type === 'text') {
        const lines = block.text.replaceAll('word ', () => `w${index}\n `)
        return [{ type: 'text', text: lines.slice(0, block.text.length).repeat(longer) }]
      }
      if (block.type !== 'call') return [block]
      const name = tools[(index * 7) % tools.length] as string
      toolOf.set(block.id, name)
      return [{ ...block, name }]
    })
    time += index % 11 === 10 ? 5_000_000 : 1000
    const thinks = message.role === 'assistant' && index % 3 === 0
    const thought: Block[] = thinks ? [{ type: 'thinking', text: `thought ${index}` }] : []
    const rest = thinks && index % 2 === 0 ? blocks.filter(({ type }) => type === 'call') : blocks
    return { ...message, blocks: [...thought, ...rest], time }
  })
}

/** Begins with the user, and every result follows its call at once: others are left out, and calls without one. */
function plain(list: readonly Message[]): Message[] {
  const first = list.findIndex(({ role }) => role === 'user')
  const said = list.slice(first).filter(({ role, origin }) => role !== 'user' || origin === undefined)
  const callerOf = ({ callId }: Message) =>
    said.findIndex(({ blocks }) => blocks.some((block) => block.type === 'call' && block.id === callId))
  const kept = new Set<number>()
  for (const [index, message] of said.entries()) {
    const caller = message.role === 'tool' ? callerOf(message) : -1
    if (caller >= 0 && said.slice(caller + 1, index).every(({ role }) => role === 'tool')) kept.add(caller).add(index)
  }
  const isPlain = ({ role, blocks }: Message) => role !== 'tool' && blocks.every(({ type }) => type !== 'call')
  return said.filter((message, index) => kept.has(index) || isPlain(message))
}

const known = new WeakMap<Message, string>()

/** Written once for each message, which is in many requests. */
function shown(message: Message): string {
  const { role, blocks } = message
  const text = known.get(message) ?? [role, ...blocks.map((block) => JSON.stringify(block))].join(' ')
  known.set(message, text)
  return text
}

/** Long enough for the presets that clear only where forty thousand tokens of results are left. */
const transcripts = transcriptsUpTo(10)

const numbers = fc.record({
  N: fc.integer({ min: 1, max: 4 }),
  M: fc.integer({ min: 1, max: 4 }),
  F: fc.constantFrom(0.5, 0.8, 1),
  S: fc.constantFrom(5, 20),
  P: fc.constantFrom(0, 30, 100, 300),
  L: fc.constantFrom(0, 60, 200),
})

describe('the tables of docs/compose.md', () => {
  it('have every policy in one of them: what it equals, or what it does besides', () => {
    const names = (cells: readonly (string | undefined)[], pattern: RegExp) =>
      cells.flatMap((cell) => [...(cell ?? '').matchAll(pattern)].map(([, name]) => name as string))
    const are = names(
      tableUnder('Policies that are compositions').map(([preset]) => preset),
      /`([a-z0-9-]+)/g,
    )
    const others = tableUnder('Policies that are not').map(([policy]) => policy)
    const not = names(others, /`([a-z0-9-]+)`(?!.*\))/g)
    // With some params they are, with those in brackets they are not.
    const both = names(others, /`([a-z0-9-]+)` \(/g)
    expect([...new Set([...are, ...not])].sort()).toEqual(policies.names.filter((name) => name !== 'knobs').sort())
    expect(not.filter((name) => are.includes(name))).toEqual([])
    expect(both.filter((name) => !are.includes(name))).toEqual([])
  })
})

describe('the table of compositions in docs/compose.md', () => {
  const rows = tableUnder('Policies that are compositions')

  it.each(rows)('%s is %s, of %s conversations', (preset, composition, conversations) => {
    // Some policies count in thousands whatever the budget.
    const isLarge = /when=tokens|claude-code-auto/.test(preset as string)
    const budgets = isLarge ? fc.constantFrom(60_000, 90_000, 150_000) : fc.constantFrom(30, 120, 300, 700, 2000)
    const tokens = (message: Message) =>
      isLarge ? Math.round(textOf(message).length / 4) : message.blocks.reduce((sum, block) => sum + sizeOf(block), 0)
    let edits = 0
    fc.assert(
      fc.property(
        conversations === 'plain' ? transcripts : fc.oneof(transcripts, messages),
        budgets,
        numbers,
        (list, budget, values) => {
          const talk = colourful(conversations === 'plain' ? plain(list) : list, isLarge ? 300 : 1)
          const [one, other] = [preset, `\`knobs:${unquoted(composition as string)}\``].map((cell) =>
            atRequests(policyOf(cell as string, values), talk, { budget, tokens }, (window) => {
              edits += window.edits
              return itemsOf(window).map(({ message }) => shown(message as Message))
            }),
          )
          // Matchers are slow on conversations: they show what differs.
          if (!isDeepStrictEqual(other, one)) expect(other).toEqual(one)
        },
      ),
      { numRuns: 20 },
    )
    expect(edits).toBeGreaterThan(preset === '`keep-all`' ? -1 : 0)
  })
})

const sizeOf = (block: Block): number =>
  block.type === 'text' || block.type === 'thinking' ? block.text.length : block.type === 'call' ? 3 : 1
