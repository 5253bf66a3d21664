/**
 * What a probe has been answered, as lines of NDJSON: one for each answer, and one for each try that goes out. A run that was stopped
 * goes on with it without asking twice. There is no clock in it, and what is found is found by the hash of what was asked, so
 * that a run that goes on ends with the same result as one that was never stopped. (`cache/journal.ts` is the file.)
 */
import { createHash } from 'node:crypto'
import { isShallow } from '../base/called-with.ts'
import { jsonText, parsedJson } from '../base/json-text.ts'
import {
  amount,
  count,
  each,
  either,
  list,
  object,
  oneOf,
  optional,
  orNull,
  plain,
  type Shape,
  string,
} from '../base/plain-shape.ts'
import type { Answer, AnswerUsage, NextAction, ProbeApi } from '../model/probe.ts'
import {
  type AskedProbe,
  ageKinds,
  type GoneUse,
  lossKinds,
  type ProbeAbout,
  preambleKinds,
  unprobedReasons,
} from '../model/probed.ts'

/**
 * What an entry of each kind holds: a model's answer, a summary that it wrote, how many tokens a body has; what was asked about and
 * where its answers stand; what was asked about without a usable answer; a question that a plan has asked; and the plan.
 */
export interface Kept {
  readonly answer: Answer
  readonly summary: Answer
  readonly count: number
  readonly probe: KeptProbe
  readonly failed: FailedProbe
  readonly asked: AskedQuestion
  readonly plan: ProbeAbout
}
export type Kind = keyof Kept

/** What was asked about, with the key of the plan that it was part of. */
export type KeptProbe = AskedProbe & { readonly plan: string }

/** A request that was asked about and brought no usable answer in one of its arms. */
export interface FailedProbe extends Pick<AskedProbe, 'session' | 'request'> {
  readonly plan: string
  /** In words of ours. */
  readonly reason: string
}

/** A question that a plan has asked, whether another one had asked it before or not. */
export interface AskedQuestion {
  readonly plan: string
  readonly kind: 'answer' | 'summary'
  readonly question: string
}

/** What is asked, all that the answer may depend on. */
export interface Question {
  readonly kind: Kind
  readonly api: ProbeApi
  readonly baseUrl: string
  /** Which of several askings of one body: the noise floor is the same body asked twice. */
  readonly asking: string
  readonly body: Readonly<Record<string, unknown>>
}

/** The key of a question. */
export function keyOf({ kind, api, baseUrl, asking, body }: Question): string {
  return hashOf([kind, api, baseUrl, asking, body])
}

/** Any key of a journal, of what tells its entry from others: 64 hexadecimal digits. */
export function hashOf(value: unknown): string {
  return createHash('sha256').update(jsonText(value)).digest('hex')
}

/** Of these a dollar has so many: what journals count money in. */
export const billion = 1e9

/** What stands in a journal. */
export interface Entries {
  /** Undefined where it was never answered. */
  find<K extends Kind>(kind: K, key: string): Kept[K] | undefined
  /** Tries that went out for this key, brought no answer and may be billed all the same. */
  lost(key: string): number
  /** Billionths of a dollar for this key: what its answer cost, and what its lost tries may have cost at most. */
  costOf(key: string): number
  lostCostOf(key: string): number
  /** Tries of all keys that are lost. */
  readonly allLost: number
  /** The same of all keys. */
  readonly cost: number
  readonly lostCost: number
  /** What is kept of a kind, in the order in which it was first kept. */
  all<K extends Kind>(kind: K): readonly Kept[K][]
  /** The same with their keys. */
  each<K extends Kind>(kind: K): readonly (readonly [key: string, Kept[K]])[]
  /** The key of the entry of a kind that was kept last. */
  latest(kind: Kind): string | null
  /** Lines that cannot be read and were left out, counted from 1. */
  readonly damaged: readonly number[]
  /** Whether the last line was torn, as a run that is killed leaves it. */
  readonly wasCut: boolean
}

/** In billionths of a dollar. */
export interface Bill {
  readonly cost: number
  /** The most that a try of the same question can have cost that was lost; absent where the answer does not tell. */
  readonly most?: number
}

export interface Journal extends Entries {
  /**
   * Notes that a request is about to go out: where nothing follows, it is lost.
   * @param worst what it may cost at most, in billionths of a dollar
   */
  sending(key: string, worst?: number): void
  /** Notes that what went out was not taken, and costs nothing. */
  refused(key: string): void
  keep<K extends Kind>(kind: K, key: string, value: Kept[K], bill?: Bill): void
  close(): void
}

/** The first line. Forms are told apart by their version. */
export const head = `${JSON.stringify({ ctxwin: 'probe journal', version: 1 })}\n`

const usage = object<AnswerUsage>({ input: count, cacheRead: count, cacheWrite: count, output: count })
const call = object<NextAction['calls'][number]>({ name: string, input: isShallow })
const action = object<NextAction>({ calls: list(call), text: string })
const answer = object<Answer>({
  action,
  stop: orNull(string),
  model: orNull(string),
  usage: orNull(usage),
})
const isKey: Shape<string> = (value) => (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value) ? null : '')
const fourKeys = list(isKey, 4) as Shape<readonly string[]> as Shape<KeptProbe['keys']>
const probe = object<KeptProbe>({
  plan: isKey,
  request: count,
  loss: oneOf(lossKinds),
  age: oneOf(ageKinds),
  tool: orNull(string),
  weight: amount,
  session: string,
  file: string,
  line: count,
  cwd: orNull(string),
  recorded: action,
  preamble: oneOf(preambleKinds),
  left: count,
  used: list(object<GoneUse>({ line: count, text: string })),
  keys: fourKeys,
})
const plan = object<ProbeAbout>({
  policy: string,
  params: plain(100) as Shape<ProbeAbout['params']>,
  budget: either(amount, string),
  model: string,
  api: oneOf(['anthropic', 'responses', 'chat']),
  seed: count,
  transcripts: count,
  requests: count,
  differing: count,
  unprobed: object(each(unprobedReasons, count)),
  planned: count,
  among: count,
})
const failed = object<FailedProbe>({ plan: isKey, session: string, request: count, reason: string })
const asked = object<AskedQuestion>({ plan: isKey, kind: oneOf(['answer', 'summary']), question: isKey })
const values: { readonly [K in Kind]: Shape<Kept[K]> } = {
  answer,
  summary: answer,
  count,
  probe,
  failed,
  asked,
  plan,
}

const notes = ['sent', 'refused'] as const
type Note = (typeof notes)[number]

export interface Line {
  readonly key: string
  readonly kind: Kind | Note
  readonly value?: unknown
  /** Of an answer what it cost, of what is about to go out the most that it may cost; in billionths of a dollar. */
  readonly cost?: number
  /** Of an answer: see `Bill`. */
  readonly most?: number
}
const kinds = [...(Object.keys(values) as Kind[]), ...notes]
const lineShape = object<Omit<Line, 'value'>>({
  key: isKey,
  kind: oneOf(kinds),
  cost: optional(count),
  most: optional(count),
})

/** Entries as they are read or written, in order. */
export class Taken implements Entries {
  readonly damaged: number[] = []
  wasCut = false
  readonly #found = new Map<string, unknown>()
  readonly #costs = new Map<string, number>()
  readonly #most = new Map<string, number>()
  readonly #latest = new Map<Kind, string>()
  /** By key, what each try may cost that went out and has come to nothing yet. */
  readonly #open = new Map<string, number[]>()

  find<K extends Kind>(kind: K, key: string): Kept[K] | undefined {
    return this.#found.get(`${kind} ${key}`) as Kept[K] | undefined
  }

  lost(key: string): number {
    return this.#open.get(key)?.length ?? 0
  }

  get allLost(): number {
    return [...this.#open.values()].flat().length
  }

  costOf(key: string): number {
    return this.#costs.get(key) ?? 0
  }

  /** Tries that were lost count as their worst case, until an answer to the same question tells how many tokens that has. */
  lostCostOf(key: string): number {
    const most = this.#most.get(key) ?? Infinity
    return sumOf((this.#open.get(key) ?? []).map((cost) => Math.min(cost, most)))
  }

  get cost(): number {
    return sumOf([...this.#costs.values()])
  }

  get lostCost(): number {
    return sumOf([...this.#open.keys()].map((key) => this.lostCostOf(key)))
  }

  all<K extends Kind>(kind: K): readonly Kept[K][] {
    return this.each(kind).map(([, value]) => value)
  }

  each<K extends Kind>(kind: K): (readonly [key: string, Kept[K]])[] {
    return [...this.#found].flatMap(([name, value]) =>
      name.startsWith(`${kind} `) ? [[name.slice(kind.length + 1), value as Kept[K]] as const] : [],
    )
  }

  latest(kind: Kind): string | null {
    return this.#latest.get(kind) ?? null
  }

  take({ key, kind, value, cost = 0, most }: Line): void {
    const open = this.#open.get(key) ?? []
    this.#open.set(key, open)
    if (kind === 'sent') open.push(cost)
    else open.pop()
    if (kind === 'sent' || kind === 'refused') return
    this.#found.set(`${kind} ${key}`, value)
    this.#latest.set(kind, key)
    this.#costs.set(key, this.costOf(key) + cost)
    if (most !== undefined) this.#most.set(key, most)
  }
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0)

/** A line as it is written. */
export const textOf = (line: Line): string => `${jsonText(line)}\n`

/** @returns undefined for what is no line of a journal */
function lineIn(text: string): Line | undefined {
  const line = parsedJson(text)
  if (lineShape(line) !== null) return undefined
  const { kind, value } = line as Line
  if (kind === 'sent' || kind === 'refused') return line as Line
  return values[kind](value) === null ? (line as Line) : undefined
}

/**
 * @param bytes of a whole journal, or of one that was cut anywhere
 * @returns with how many bytes are kept, and whether the line's end is missing behind them; null for what is no journal
 */
export function readJournal(bytes: Buffer): { entries: Taken; size: number; endsLine: boolean } | null {
  const entries = new Taken()
  const begin = bytes.subarray(0, head.length).toString('latin1')
  if (begin !== head) {
    // Cut within its first line, or made empty by whoever chose the name.
    if (!head.startsWith(begin)) return null
    entries.wasCut = begin !== ''
    return { entries, size: 0, endsLine: true }
  }
  let size = head.length
  let number = 1
  while (size < bytes.length) {
    const end = bytes.indexOf(10, size)
    const line = lineIn(bytes.toString('utf8', size, end < 0 ? bytes.length : end))
    number++
    if (end < 0) {
      // No line but a whole one ends with its last brace.
      if (!line) {
        entries.wasCut = true
        return { entries, size, endsLine: true }
      }
      entries.take(line)
      return { entries, size: bytes.length, endsLine: false }
    }
    if (line) entries.take(line)
    else entries.damaged.push(number)
    size = end + 1
  }
  return { entries, size, endsLine: true }
}
