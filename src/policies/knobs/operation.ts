/**
 * The knob `operation`: what happens to a unit. `drop` and `summarise` take whole messages and stand alone; the others
 * change what is in a message, and may be joined by `+`. Each costs O(what it changes).
 */
import { type Message, textOf } from '../../model/message.ts'
import { Calls } from '../calls.ts'
import { clearInput, clearInputs, Makers } from '../libraries/tool-uses.ts'
import type { Entry, Window } from '../policy.ts'
import { maskText } from '../primitives/mask-tool-results.ts'
import { type Kept, truncateResult } from '../primitives/truncate-tool-results.ts'
import { estimateTokens } from '../text.ts'
import type { Frees } from './value/worth.ts'
import { counted, knob, plain } from './words.ts'

/** What an operation may look at. */
export class Context {
  readonly calls = new Calls()
  readonly makers = new Makers()
  /** The knob `text`; empty for the operation's own. */
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  message(entry: Entry): void {
    this.calls.message(entry)
    this.makers.message(entry)
  }
}

type Edit = (window: Window, entry: Entry, context: Context) => void

export interface Change {
  readonly kind: 'change'
  readonly concerns: (entry: Entry) => boolean
  readonly edit: Edit
  /** Absent where that cannot be foretold. */
  readonly frees?: Frees
  /** Only results that a later call with the same tool and input has got again. */
  readonly repeats?: true
}

type Part = Change | { readonly kind: 'drop' } | { readonly kind: 'summarise'; readonly tokens: number }

export type Operation =
  | { readonly kind: 'drop' }
  | { readonly kind: 'summarise'; readonly tokens: number }
  | { readonly kind: 'change'; readonly changes: readonly Change[] }

const isResult = ({ role }: Entry): boolean => role === 'tool'
const isThought = ({ type }: { readonly type: string }) => type === 'thinking' || type === 'opaque'
const onResults = (edit: Edit): Change => ({ kind: 'change', concerns: isResult, edit })

/** What a line in the place of a result has, in tokens. */
const line = 10
const freedByLine: Frees = (_entry, tokens) => Math.max(0, tokens - line)

const placeholders = /\{(tokens|characters|lines|tool|head|tail|rest)(?::(\d+))?\}/g

/** The text that stands for a result. */
function textFor(template: string, entry: Entry, { calls }: Context): string {
  const text = entry.message ? textOf(entry.message) : ''
  return template.replaceAll('\\n', '\n').replaceAll(placeholders, (_, word: string, count = '0') => {
    const length = Number(count)
    switch (word) {
      case 'tokens':
        return String(estimateTokens(text))
      case 'characters':
        return String(text.length)
      case 'lines':
        return String(text.split('\n').length)
      case 'tool':
        return calls.toolOf(entry) || 'unknown_tool'
      case 'head':
        return text.slice(0, length)
      case 'tail':
        return length > 0 ? text.slice(-length) : ''
      default:
        return String(Math.max(0, text.length - length))
    }
  })
}

const mask: Edit = (window, entry, context) => {
  const text = textFor(context.text || maskText('{tokens}'), entry, context)
  window.replace(entry, [{ type: 'text', text }])
}

const pointer = '[{characters} characters of {tool} in a file]\\n{head:250}\\n…\\n{tail:250}'

export const operation = knob<Part, Operation>({
  default: 'drop',
  help: 'what happens to a unit',
  words: {
    drop: plain('it leaves', { kind: 'drop' }),
    'summarise:TOKENS': counted(
      'a summary of at most that many tokens takes the place of all that are taken',
      1,
      (tokens) => ({
        kind: 'summarise',
        tokens,
      }),
    ),
    mask: plain('of its results a line stays: `text`', { ...onResults(mask), frees: freedByLine }),
    offload: plain(
      'the same with the beginning and the end of each, and a pointer to the rest; a result that is no longer stays',
      onResults((window, entry, context) => {
        const text = textFor(context.text || pointer, entry, context)
        if (text.length < textOf(entry.message as Message).length) window.replace(entry, text)
      }),
    ),
    'truncate:TOKENS[:head|tail|both]': {
      help: 'its results are cut to so many tokens of four bytes, with a line that says so',
      of([word, kept = 'head', ...more]) {
        const tokens = Number(word)
        if (!Number.isSafeInteger(tokens) || tokens < 1 || !/^(head|tail|both)$/.test(kept) || more.length > 0) {
          return undefined
        }
        return onResults((window, entry) => truncateResult(window, entry, tokens, kept as Kept))
      },
    },
    'clear-inputs': plain(
      'the calls that its results answer lose their arguments',
      onResults((window, entry, { makers }) => {
        const maker = makers.of(entry)
        if (maker?.inside) clearInput(window, maker, entry.message?.callId ?? '')
      }),
    ),
    strip: plain('of its results a line stays, and its calls lose their arguments; what was said stays', {
      kind: 'change',
      concerns: ({ role, calls }) => role === 'tool' || calls > 0,
      edit(window, entry, context) {
        if (entry.role === 'tool') mask(window, entry, context)
        else clearInputs(window, entry)
      },
      frees: (entry, tokens, shares) =>
        entry.role === 'tool' ? freedByLine(entry, tokens, shares) : tokens * shares.inputs,
    }),
    'drop-thinking': plain('its messages lose their thinking; what had nothing else leaves', {
      kind: 'change',
      concerns: ({ role, message }) => role === 'assistant' && (message?.blocks.some(isThought) ?? false),
      edit(window, entry) {
        const blocks = entry.message?.blocks.filter((block) => !isThought(block)) ?? []
        if (blocks.length > 0) window.replace(entry, blocks)
        else window.drop(entry, entry)
      },
      frees: (_entry, tokens, { thoughts }) => tokens * thoughts,
    }),
    dedupe: plain('`mask`, only for results that the same call has got again since', {
      ...onResults(mask),
      repeats: true,
    }),
  },
  together([parts = []]) {
    const changes = parts.filter((part) => part.kind === 'change')
    if (changes.length === parts.length) return { kind: 'change', changes }
    return parts.length === 1 ? (parts[0] as Exclude<Part, Change>) : undefined
  },
})
