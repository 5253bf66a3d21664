/**
 * An agent's history as it grows, with the requests that were made of it. It is read once, element by element. Where
 * the agent takes something back, or another process goes on with it, it is read again from the beginning and the
 * policy does again what it did: policies are exact, so all that has to be kept of them is when they were asked.
 */
import { CtxwinError } from '../base/errors.ts'
import { plain } from '../base/plain-shape.ts'
import { isEmpty, type Message, type Preamble, type Usage } from '../model/message.ts'
import { isSound, withSoundUsage } from '../readers/wire/usage.ts'
import type { InsideMessage } from '../simulator/contents.ts'
import type { Begun, Form, FormReader, Kept } from './forms/form.ts'
import type { LiveRun } from './run.ts'
import type { Asked } from './window.ts'

/** A request that the agent made: what was told of it, and how many elements the history had. */
export interface LoggedRequest {
  readonly elements: number
  /** Milliseconds since the epoch; null if unknown. */
  readonly at: number | null
  /** Tokens that the provider counted for the request before; null if unknown. */
  readonly input: number | null
}

/**
 * What goes to an API or came from one: as JSON. Nothing of it nests deeper, and what reads it on goes down as deep.
 */
export const data = plain(100)

/** All that is needed to go on in another process, with the same history. */
export interface LiveLog {
  readonly requests: readonly LoggedRequest[]
  /** What models wrote, in the order in which it was asked for. */
  readonly summaries: readonly string[]
}

/** From which elements a message came, half-open. */
interface Origin {
  readonly from: number
  readonly to: number
}

export class History<Element> {
  readonly #form: Form<Element>
  readonly #begun: Begun
  readonly #begin: (preamble: Preamble) => LiveRun
  #elements: readonly Element[] = []
  #requests: LoggedRequest[]
  #summaries: string[]
  #run: LiveRun | null = null
  #reader: FormReader<Element>
  #origins: Origin[] = []
  #waiting: Message[] = []
  /** Elements that were read, and requests that were made of them. */
  #read = 0
  #made = 0
  #told = 0

  constructor(form: Form<Element>, begun: Begun, begin: (preamble: Preamble) => LiveRun, log: LiveLog) {
    this.#form = form
    this.#begun = begun
    this.#begin = begin
    this.#requests = [...log.requests]
    this.#summaries = [...log.summaries]
    this.#reader = this.#open()
  }

  get log(): LiveLog {
    return { requests: this.#requests, summaries: this.#summaries }
  }

  /** A request is about to be made of these elements: what was read before, and what has come since. */
  request(elements: readonly Element[], told: Omit<LoggedRequest, 'elements'>): LiveRun {
    if (!Array.isArray(elements)) throw new CtxwinError('usage', 'next: give the history, a list of messages')
    const before = { elements: this.#elements, requests: this.#requests, summaries: this.#summaries }
    const made = before.requests.length
    const same = this.#sameAs(elements)
    const isTakenBack = same < before.elements.length
    if (isTakenBack) this.#startAnew(before.requests.filter(({ elements }) => elements <= same))
    this.#elements = [...elements]
    const asked = { ...told, elements: elements.length }
    try {
      if (isTakenBack) {
        this.#goOn()
        // What else was written stands for messages that were taken back.
        this.#summaries = this.#summaries.slice(0, this.#told)
      }
      // Asked again before anything has come: the same request.
      if (this.#requests.at(-1)?.elements !== asked.elements) this.#requests.push(asked)
      return this.#goOn()
    } catch (error) {
      // Nothing was told, and whoever mends it may ask again.
      this.#elements = before.elements
      this.#summaries = before.summaries
      this.#startAnew(before.requests.slice(0, made))
      throw error
    }
  }

  /** Summaries in the window that are still to be written. */
  get open(): Asked[] {
    const window = this.#run?.window
    return window ? window.asked.filter(({ text, item }) => text === null && item.inside) : []
  }

  /** A model has written one of `open`. */
  tell(asked: Asked, text: string): void {
    this.#run?.window.tell(asked, text)
    this.#summaries.push(text)
    this.#told++
  }

  /** The elements of the request that goes out now. */
  get sent(): Element[] {
    const run = this.#run as LiveRun
    const head = this.#elements.slice(0, this.#origins[0]?.from ?? this.#read)
    const elements = [...head, ...this.#groups(run.inside).flatMap((group) => this.#written(group, run))]
    return this.#form.joined?.(elements) ?? elements
  }

  /** The messages that came from the same elements and still stand together; each of the policy's own by itself. */
  #groups(inside: readonly InsideMessage[]): [InsideMessage, ...InsideMessage[]][] {
    const groups: [InsideMessage, ...InsideMessage[]][] = []
    for (const one of inside) {
      const before = groups.at(-1)?.[0].index ?? -1
      const isSame = before >= 0 && one.index >= 0 && this.#originOf(before).from === this.#originOf(one.index).from
      if (isSame) groups.at(-1)?.push(one)
      else groups.push([one])
    }
    return groups
  }

  #written(group: readonly [InsideMessage, ...InsideMessage[]], run: LiveRun): readonly Element[] {
    const [first] = group
    if (first.index < 0) return isEmpty(first.message) ? [] : this.#form.write(first.message)
    const { from, to } = this.#originOf(first.index)
    const elements = this.#elements.slice(from, to)
    const kept = group.map(({ index, message }): Kept => ({ original: run.original(index), message }))
    const isWhole =
      kept.every(({ original, message }) => original === message) &&
      this.#origins[first.index - 1]?.from !== from &&
      this.#origins[first.index + group.length]?.from !== from
    if (isWhole) return elements
    const left = kept.filter(({ message }) => message.role === 'tool' || !isEmpty(message))
    return left.length === 0 ? [] : this.#form.partial(elements, left)
  }

  #originOf(index: number): Origin {
    return this.#origins[index] as Origin
  }

  /** How many elements are as they were. */
  #sameAs(elements: readonly Element[]): number {
    let same = 0
    while (same < this.#elements.length && isSame(elements[same], this.#elements[same])) same++
    return same
  }

  #startAnew(requests: LoggedRequest[]): void {
    this.#requests = requests
    this.#run = null
    this.#origins = []
    this.#waiting = []
    this.#read = this.#made = this.#told = 0
    this.#reader = this.#open()
  }

  #goOn(): LiveRun {
    for (; this.#made < this.#requests.length; this.#made++) {
      const { elements, at, input } = this.#requests[this.#made] as LoggedRequest
      if (elements > this.#elements.length) throw new CtxwinError('usage', shorter(elements, this.#elements.length))
      for (; this.#read < elements; this.#read++) this.#add(this.#elements[this.#read] as Element, this.#read)
      this.#reader.settle()
      this.#run ??= this.#begin({ system: [], complete: true })
      const run = this.#run
      run.wake(at ?? Number.NaN)
      if (input !== null) run.counted({ input })
      const answer = this.#waiting.findLastIndex(({ role }) => role === 'assistant')
      for (const [index, message] of this.#waiting.entries()) {
        const told = index === answer && input !== null ? { ...message, usage: usageOf(input) } : message
        run.message(withSoundUsage(told))
      }
      this.#waiting = []
      run.request()
      this.#tellAgain(run)
    }
    return this.#run as LiveRun
  }

  #add(element: Element, index: number): void {
    if (data(element) !== null) {
      const why = 'is no data that JSON could write, as an API is given it'
      throw new CtxwinError('usage', `message ${index} of the history ${why}`)
    }
    this.#reader.add(element, index)
  }

  /** What models wrote before is not asked again. */
  #tellAgain(run: LiveRun): void {
    for (const asked of this.open) {
      const text = this.#summaries[this.#told]
      if (text === undefined) return
      this.#told++
      run.window.tell(asked, text)
    }
  }

  #open(): FormReader<Element> {
    return this.#form.reader(this.#begun, {
      preamble: (preamble) => {
        this.#run = this.#begin(preamble)
      },
      message: (message) => {
        const from = message.line - 1
        this.#origins.push({ from, to: from === this.#read ? from + 1 : this.#read })
        this.#waiting.push(message)
      },
      stranger: (index) => {
        throw new CtxwinError('usage', `message ${index} of the history is none that this API knows`)
      },
    })
  }
}

const shorter = (were: number, are: number): string =>
  `the state is of a history of at least ${were} messages, and this one has ${are}: give the same history`

const usageOf = (input: number): Usage => ({ input, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0 })

/** Whether a number can be an API's token count. */
export const isCounted = (input: number): boolean => isSound(usageOf(input))

/** An agent that keeps its history elsewhere has other objects each time. */
const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (data(one) === null && JSON.stringify(one) === JSON.stringify(other))
