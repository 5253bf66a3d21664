/**
 * How far a long reading is, on stderr: a bar, the files, the time left. For a person who watches, and not for a blink.
 */
import { basename, resolve } from 'node:path'
import type { Source } from '../../app/index.ts'
import type { World } from '../output/world.ts'
import { statsOf } from './walk.ts'

/** In milliseconds: until anything is shown, and between two showings. */
const blink = 500
const pause = 100
const barWidth = 20

/** When the speed so far says something about the rest: in milliseconds, and as a part of all. */
const trial = 2000
const enough = 0.1
/** In milliseconds: between two reckonings of the time left that have to agree. */
const apart = 1000

export class Progress {
  readonly #status: World['status']
  /** In bytes; null for what is no plain file, or may not be looked at. */
  readonly sizeOf: (source: Source) => number | null
  #started = 0
  #shown = 0
  /** In bytes where the sizes of all files are known, else in files. */
  #total = 0
  #done = 0
  #inBytes = false
  /** "3/137" */
  #place = ''
  #timeLeft = new TimeLeft(0)
  /** What is known of the result so far; empty until there is something. */
  soFar: () => string = () => ''

  constructor({ status, cwd }: Pick<World, 'status' | 'cwd'>) {
    this.#status = status
    this.sizeOf = ({ name }) => {
      const stats = name === '-' ? null : statsOf(resolve(cwd(), name))
      return stats?.isFile() ? stats.size : null
    }
  }

  /** The reading begins now. */
  start(): void {
    // The clock is read only where progress is shown, because Node loads it at the first use.
    if (this.#status) this.#started = performance.now()
    this.#timeLeft = new TimeLeft(this.#started)
  }

  /** The files are only looked at, or are read elsewhere: each counts the same. */
  at(index: number, count: number, name: string): void {
    this.#total = count
    this.#done = index
    this.#place = `${index + 1}/${count}`
    this.#show(name)
  }

  /** Hands over the sources, which `watch` made, and counts how much of them all is read. */
  *over(sources: readonly Source[]): Generator<Source> {
    const sizes = this.#status ? sources.map(this.sizeOf) : []
    this.#inBytes = sizes.every((size) => size !== null)
    this.start()
    this.#total = this.#inBytes ? sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0) : sources.length
    let before = 0
    for (const [index, source] of sources.entries()) {
      this.#done = before
      this.#place = `${index + 1}/${sources.length}`
      this.#show(source.name)
      yield source
      before += this.#inBytes ? (sizes[index] ?? 0) : 1
    }
    this.clear()
  }

  /** The same source, of which is known how much was read. */
  watch(source: Source): Source {
    if (!this.#status) return source
    const read = (bytes: number) => {
      if (this.#inBytes) this.#done += bytes
      this.#show(source.name)
    }
    async function* counted() {
      for await (const chunk of source.chunks) {
        read(chunk.length)
        yield chunk
      }
    }
    return { ...source, chunks: { [Symbol.asyncIterator]: counted } }
  }

  clear(): void {
    if (this.#shown > 0) this.#status?.('')
    this.#shown = 0
  }

  #show(name: string): void {
    if (!this.#status) return
    const now = performance.now()
    if (now - this.#started < blink || now - this.#shown < pause) return
    this.#shown = now
    const share = this.#total > 0 ? Math.min(1, this.#done / this.#total) : 0
    const bar = '#'.repeat(Math.floor(share * barWidth)).padEnd(barWidth, '-')
    const left = this.#timeLeft.at(now, share)
    // ASCII only: characters that are wide or have no width would break the line.
    const short = basename(name).replaceAll(/[^\x20-\x7e]/g, '?')
    const known = this.soFar().replaceAll(/[^\x20-\x7e]/g, '?')
    this.#status([`[${bar}]`, this.#place, ...left, ...(known === '' ? [short] : [known])].join('  '))
  }
}

/**
 * How long it will still take, once that can be told: the first files say little of the others, and a figure that jumps
 * says nothing. It is shown when two reckonings, made some time apart, come to the same figure, and until one is far
 * from it.
 */
class TimeLeft {
  readonly #started: number
  /** When it would be over, by the last reckoning, and by that which is shown. */
  #reckoned = Number.NaN
  #shown = Number.NaN
  #next = 0

  constructor(started: number) {
    this.#started = started
  }

  /** What is shown at a moment, in words. @param share how much is done, from 0 to 1 */
  at(now: number, share: number): string[] {
    const elapsed = now - this.#started
    if (elapsed > trial && share >= enough && now >= this.#next) {
      const end = this.#started + elapsed / share
      if (wordsOf(this.#reckoned - now) === wordsOf(end - now)) this.#shown = end
      else if (Math.abs(this.#shown - end) > (end - now) / 2) this.#shown = Number.NaN
      this.#reckoned = end
      this.#next = now + apart
    }
    return this.#shown > now ? [wordsOf(this.#shown - now)] : []
  }
}

function wordsOf(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000)
  return seconds < 90 ? `${seconds} s left` : `${Math.round(seconds / 60)} min left`
}
