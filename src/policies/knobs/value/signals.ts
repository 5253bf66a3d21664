/**
 * What tells at a request whether a message will be used later, as far as that can be known then: how old and how large
 * it is, what it is, how long nobody has touched what it is about, and how much of it has been said again since. Each
 * costs O(1), and a message O(its lines and names) when it comes.
 *
 * What messages say again of earlier ones does not depend on the policy. So it is found out once for a sequence of
 * messages, and shared by all runs over it (`Step`).
 */
import type { Message } from '../../../model/message.ts'
import type { Entry } from '../../policy.ts'
import { type Contents, contentsOf, type Deed, type Shares } from './contents.ts'

/**
 * In the order of the coefficients; counts as their logarithm, log(1 + n). `age`: requests since it came. `size`: its
 * tokens. What it is: a result of what `read`, searched (`search`), ran (`shell`), edited (`edit`, with the calls that
 * edit) or did anything `other`; a `call`; or `said` without one; of the user's messages none holds. `about`: its call
 * is about something that has a name; `touched`: another call was about that since. `repeated`: the share of its long
 * lines that another message has said since; `lines`, `names`: how many there are of which it is the latest message.
 * `used`, `named`: how many messages of the agent have taken over a line or a name of it. `exchange`: it is of the
 * exchange that is going on.
 */
export const signals = [
  'age',
  'size',
  'read',
  'search',
  'shell',
  'edit',
  'other',
  'call',
  'said',
  'touched',
  'about',
  'repeated',
  'names',
  'lines',
  'exchange',
  'used',
  'named',
] as const

type Kind = Deed | 'call' | 'said' | 'user'
const at = Object.fromEntries(signals.map((name, index) => [name, index])) as Record<(typeof signals)[number], number>

/** What a message changes in earlier ones: of these, by index, how many of the lines and names are said again. */
interface Step {
  readonly before: Step | null
  readonly isAgent: boolean
  readonly contents: Contents
  readonly lines: readonly (readonly [place: number, count: number])[]
  readonly names: readonly (readonly [place: number, count: number])[]
}

/** The newest place of each line and name, up to a step. */
interface Newest {
  step: Step | null
  count: number
  readonly lines: Map<number, number>
  readonly names: Map<number, number>
}

const steps = new WeakMap<Message, Step>()
const nothing: Contents = { lines: [], names: [], calls: [], shares: { inputs: 0, thoughts: 0 } }

/** What a name stands for, and how many requests there had been when a call was last about it. */
interface Touched {
  at: number
}

interface Row {
  readonly entry: Entry
  /** How many requests had been made when it came. */
  readonly own: number
  readonly tokens: number
  readonly kind: Kind
  readonly about: readonly Touched[]
  readonly contents: Contents
  repeatedLines: number
  repeatedNames: number
  /** How many messages of the agent have taken over lines of it, and names. */
  uses: number
  namings: number
}

export class Signals {
  /** Requests that have been made. */
  requests = 0
  #exchange = -1
  readonly #rows: Row[] = []
  readonly #places = new Map<Entry, number>()
  readonly #touched = new Map<number, Touched>()
  readonly #calls = new Map<string, { readonly deed: Deed; readonly about: readonly Touched[] }>()
  #step: Step | null = null
  #newest: Newest = { step: null, count: 0, lines: new Map(), names: new Map() }

  /** @param tokens that it adds to a request */
  message(entry: Entry, tokens: number): void {
    const { message } = entry
    if (entry.isResponse) this.requests++
    this.#exchange = entry.exchange
    const step = this.#next(message)
    this.#step = step
    const isAgent = entry.role === 'assistant'
    for (const [place, count] of step.lines) {
      const row = this.#rows[place] as Row
      row.repeatedLines += count
      if (isAgent) row.uses++
    }
    for (const [place, count] of step.names) {
      const row = this.#rows[place] as Row
      if (isAgent) row.namings++
      else row.repeatedNames += count
    }
    const { contents } = step
    let about: readonly Touched[] = []
    let kind: Kind = entry.role === 'assistant' ? (entry.calls > 0 ? 'call' : 'said') : 'user'
    for (const call of contents.calls) {
      const touched = call.about.map((name) => this.#touch(name))
      this.#calls.set(call.id, { deed: call.deed, about: touched })
      about = [...about, ...touched]
      if (call.deed === 'edit') kind = 'edit'
    }
    if (entry.role === 'tool') {
      const call = this.#calls.get(message?.callId ?? '')
      kind = call?.deed ?? 'other'
      about = call?.about ?? []
    }
    this.#places.set(entry, this.#rows.length)
    const repeated = { repeatedLines: 0, repeatedNames: 0, uses: 0, namings: 0 }
    this.#rows.push({ entry, own: this.requests, tokens, kind, about, contents, ...repeated })
  }

  /** The number of a message, by which the others are asked; undefined for one that the policy wrote. */
  placeOf(entry: Entry): number | undefined {
    return this.#places.get(entry)
  }

  /** @param values is given the signals of a message now, in their order */
  read(place: number, values: Float64Array): void {
    const row = this.#rows[place] as Row
    const { entry, own, tokens, kind, about, contents, repeatedLines, repeatedNames } = row
    values.fill(0)
    values[at.age] = logOf(this.requests - own)
    values[at.size] = Math.log1p(tokens)
    if (kind !== 'user') values[at[kind]] = 1
    let touched = -1
    for (const one of about) touched = Math.max(touched, one.at)
    values[at.about] = touched < 0 ? 0 : 1
    values[at.touched] = touched > own ? 1 : 0
    values[at.repeated] = contents.lines.length === 0 ? 0 : repeatedLines / contents.lines.length
    values[at.names] = Math.log1p(contents.names.length - repeatedNames)
    values[at.lines] = Math.log1p(contents.lines.length - repeatedLines)
    values[at.used] = Math.log1p(row.uses)
    values[at.named] = Math.log1p(row.namings)
    values[at.exchange] = entry.exchange === this.#exchange ? 1 : 0
  }

  ageOf(place: number): number {
    return this.requests - (this.#rows[place] as Row).own
  }

  kindOf(place: number): Kind {
    return (this.#rows[place] as Row).kind
  }

  sharesOf(place: number): Shares {
    return (this.#rows[place] as Row).contents.shares
  }

  #touch(name: number): Touched {
    let touched = this.#touched.get(name)
    if (!touched) {
      touched = { at: 0 }
      this.#touched.set(name, touched)
    }
    touched.at = this.requests
    return touched
  }

  /** The step of the next message, reused from an earlier run over the same messages. */
  #next(message: Message | null): Step {
    const known = message && steps.get(message)
    if (known && known.before === this.#step) return known
    const contents = message ? contentsOf(message) : nothing
    const newest = this.#upTo(this.#step)
    const step: Step = {
      before: this.#step,
      isAgent: message?.role === 'assistant',
      contents,
      lines: tally(contents.lines, newest.lines, newest.count, true),
      // Naming a thing does not bring it in.
      names: tally(contents.names, newest.names, newest.count, message?.role !== 'assistant'),
    }
    newest.step = step
    newest.count++
    if (message) steps.set(message, step)
    return step
  }

  /** Where each line and name stood last, up to a step: as it is known, or from the first step on. */
  #upTo(step: Step | null): Newest {
    if (this.#newest.step === step) return this.#newest
    const all: Step[] = []
    for (let one = step; one; one = one.before) all.push(one)
    const newest: Newest = { step, count: 0, lines: new Map(), names: new Map() }
    for (const { contents, isAgent } of all.reverse()) {
      for (const line of contents.lines) newest.lines.set(line, newest.count)
      if (!isAgent) for (const name of contents.names) newest.names.set(name, newest.count)
      newest.count++
    }
    this.#newest = newest
    return newest
  }
}

/**
 * By earlier message: how many of these stood there last. From now on they stand at `place`, where that brings them in.
 */
function tally(
  hashes: readonly number[],
  newest: Map<number, number>,
  place: number,
  brings: boolean,
): [number, number][] {
  const counts = new Map<number, number>()
  for (const hash of hashes) {
    const earlier = newest.get(hash)
    if (earlier !== undefined) counts.set(earlier, (counts.get(earlier) ?? 0) + 1)
    if (brings) newest.set(hash, place)
  }
  return [...counts]
}

const logs = Float64Array.from({ length: 4096 }, (_, count) => Math.log1p(count))

function logOf(count: number): number {
  return count < logs.length ? (logs[count] as number) : Math.log1p(count)
}
