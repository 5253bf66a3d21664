/**
 * `langchain-trim`: LangChain's `trimMessages`, which is given the whole history before each request. `strategy=last`
 * keeps the longest suffix of at most `budget` tokens (`<=`), `first` the longest prefix. Then messages leave from the
 * open end until one is of a type of `startOn` (`last`) or `endOn` (`first`); `endOn` of `last` holds messages at the
 * end back before anything is counted, and they return once one of those types follows. Nothing looks at pairs: results
 * stay without their calls, and with `first` calls without their results.
 *
 * The system prompt is sent in any case, as LangChain's agents do. `last` counts it with `includeSystem` only, `first`
 * counts it always. `allowPartial` keeps the last lines (`first`: the first ones) of the message that does not fit.
 *
 * Faults: where nothing fits beside the system prompt, the library returns a list of one `undefined`; here the system
 * prompt goes out alone. `first` shortens the caller's own message when it keeps a part of it; here the history stays
 * as it is. Of a message of several parts, the library sends the first parts that fit in the reverse order, and its
 * earlier attempts beside it; here they are sent once, in order.
 *
 * Law: view, monotone. What `last` has cut off in front never fits again, so only what `endOn` holds back ever returns.
 * Worked example, a token per message, budget 3: [human, ai, human, ai, human] with `startOn=human` keeps the last
 * three.
 */
import { CtxwinError } from '../../base/errors.ts'
import { choice, flag, words, wordsOf } from '../../base/param.ts'
import { javascriptString } from '../../base/quoting.ts'
import type { Block, Role } from '../../model/message.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry, PolicyRun, Window } from '../policy.ts'
import { approximately, types } from './langchain.ts'

/** The types of messages, or null for none. */
function rolesOf(value: string): ReadonlySet<Role> | null {
  const names = wordsOf(value)
  return names.length > 0 ? new Set(names.map((name) => types[name] as Role)) : null
}

/** The contents that `allowPartial` tries for a message, the largest first. */
function partsOf(entry: Entry, end: 'last' | 'first'): (readonly Block[])[] {
  const blocks = entry.message?.blocks ?? []
  const thoughts = blocks.filter(({ type }) => type === 'thinking' || type === 'opaque')
  const calls = blocks.filter(({ type }) => type === 'call')
  const rest = blocks.filter((block) => !thoughts.includes(block) && !calls.includes(block))
  const parts = rest.length > 1 ? rest.slice(1).map((_, index) => rest.slice(0, rest.length - 1 - index)) : []
  const text = rest.find((block) => block.type === 'text')?.text ?? ''
  const lines = text.split('\n').map((line, index, { length }) => (index < length - 1 ? `${line}\n` : line))
  for (let count = lines.length - 1; count > 0; count--) {
    const kept = end === 'last' ? lines.slice(-count) : lines.slice(0, count)
    parts.push([{ type: 'text', text: kept.join('') }])
  }
  return parts.map((part) => [...thoughts, ...part, ...calls])
}

/** Replaces the entry by the largest part of it with which the window fits. @returns whether one does */
function shorten(window: Window, entry: Entry, end: 'last' | 'first', fits: () => boolean): boolean {
  const parts = partsOf(entry, end)
  let from = 0
  let to = parts.length
  while (from < to) {
    const middle = (from + to) >> 1
    window.replace(entry, parts[middle] as readonly Block[])
    if (fits()) to = middle
    else from = middle + 1
  }
  const part = parts[from]
  if (part) window.replace(entry, part)
  return part !== undefined
}

/** Holds back what comes after the last message of the types of `endOn`. */
class HeldBack {
  readonly #roles: ReadonlySet<Role> | null
  /** Index of the first message that is held back. */
  #from: number | null = null

  constructor(roles: ReadonlySet<Role> | null) {
    this.#roles = roles
  }

  /** @param fresh the messages since the request before, which are the last in the window */
  hold(window: Window, fresh: readonly Entry[]): void {
    if (!this.#roles) return
    const end = fresh.findLastIndex(({ role }) => this.#roles?.has(role))
    if (end >= 0) this.release(window)
    const [first, last] = [fresh[end + 1], fresh.at(-1)]
    if (!first || !last) return
    this.#from ??= first.index
    window.drop(first, last)
  }

  release(window: Window): void {
    if (this.#from !== null) window.restore(this.#from)
    this.#from = null
  }
}

interface Values {
  readonly startOn: string
  readonly endOn: string
  readonly includeSystem: boolean
  readonly allowPartial: boolean
}

function keepLast({ startOn, endOn, includeSystem, allowPartial }: Values): PolicyRun {
  const starts = rolesOf(startOn)
  const held = new HeldBack(rolesOf(endOn))
  let fresh: Entry[] = []
  return {
    message(_window, entry) {
      fresh.push(entry)
    },
    request(window) {
      held.hold(window, fresh)
      fresh = []
      const fits = () => (includeSystem ? window.tokens : window.messageTokens) <= window.budget
      while (window.first && !fits()) {
        if (allowPartial && shorten(window, window.first, 'last', fits)) break
        window.drop(window.first, window.first)
      }
      while (starts && window.first && !starts.has(window.first.role)) window.drop(window.first, window.first)
    },
  }
}

function keepFirst({ startOn, endOn, includeSystem, allowPartial }: Values): PolicyRun {
  const refused = includeSystem ? 'includeSystem' : startOn === 'none' ? null : 'startOn'
  if (refused) {
    const value = includeSystem || startOn
    throw new CtxwinError('bad-value', `langchain-trim:${refused}`, value, 'for strategy=first, only for strategy=last')
  }
  const ends = rolesOf(endOn)
  const held = new HeldBack(ends)
  let fresh: Entry[] = []
  let isFull = false
  return {
    message(_window, entry) {
      fresh.push(entry)
    },
    request(window) {
      const [first, last] = [fresh[0], fresh.at(-1)]
      const came = fresh
      fresh = []
      if (isFull) {
        if (first && last) window.drop(first, last)
        return
      }
      if (window.historyTokens <= window.budget) {
        held.hold(window, came)
        return
      }
      isFull = true
      held.release(window)
      const fits = () => window.tokens <= window.budget
      while (window.last && !fits()) {
        if (allowPartial && shorten(window, window.last, 'first', fits)) break
        window.drop(window.last, window.last)
      }
      while (ends && window.last && !ends.has(window.last.role)) window.drop(window.last, window.last)
    },
  }
}

export default definePolicy({
  name: 'langchain-trim',
  version: '1.4.0',
  summary: 'keep the longest suffix (or prefix) of messages that fits, as trimMessages does',
  source: '@langchain/core 1.4.0, messages/transformers; npm (2026-11)',
  package: { name: '@langchain/core', version: '1.4.0', on: '2026-11' },
  trigger: '`maxTokens`, of the messages; acts at more than that',
  unlike:
    '`fill-newest` counts the preamble and drops leading results; `drop-messages` never drops the newest; this can begin with a result, or send nothing',
  params: {
    strategy: choice({ default: 'last', of: ['last', 'first'], help: 'keep the end of the history, or its beginning' }),
    startOn: words({ of: Object.keys(types), help: 'types of message to begin with (`strategy=last`)' }),
    endOn: words({ of: Object.keys(types), help: 'types of message to end with' }),
    includeSystem: flag({ default: false, help: 'count the system prompt (`strategy=last`)' }),
    allowPartial: flag({ default: false, help: 'keep some lines of the message that does not fit' }),
  },
  kind: 'view',
  monotone: true,
  text: true,
  native: approximately,
  turnOn({ strategy, startOn, endOn, includeSystem, allowPartial }, budget) {
    if (strategy === 'first' && (startOn !== 'none' || includeSystem)) return null
    const list = (value: string) => `[${wordsOf(value).map(javascriptString)}]`
    const options = [
      `maxTokens: ${budget}`,
      `tokenCounter: countTokensApproximately`,
      `strategy: ${javascriptString(strategy)}`,
      ...(startOn === 'none' ? [] : [`startOn: ${list(startOn)}`]),
      ...(endOn === 'none' ? [] : [`endOn: ${list(endOn)}`]),
      ...(includeSystem ? ['includeSystem: true'] : []),
      ...(allowPartial ? ['allowPartial: true'] : []),
    ]
    return {
      file: 'your code, with LangChain',
      text: `messages = await trimMessages(messages, { ${options.join(', ')} })`,
    }
  },
  start: ({ strategy, ...values }) => (strategy === 'last' ? keepLast(values) : keepFirst(values)),
})
