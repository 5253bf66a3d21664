/**
 * Which files a shard has: the same on every machine, whatever the order of the disk and whenever they were written.
 * The largest file comes first, and each goes to the shard that has least so far.
 */

export interface Shard {
  /** From 1. */
  readonly shard: number
  readonly of: number
}

/** More than anybody has machines. */
export const mostShards = 10_000

/** Undefined if it is no shard such as 3/8. */
export function parseShard(word: string): Shard | undefined {
  const [, shard, of] = (/^(\d{1,5})\/(\d{1,5})$/.exec(word.trim()) ?? []).map(Number)
  if (shard === undefined || of === undefined) return undefined
  return shard >= 1 && shard <= of && of <= mostShards ? { shard, of } : undefined
}

interface Sized {
  readonly name: string
  /** In bytes. */
  readonly size: number
}

/** To open a file takes as long as to read so many bytes; without it a shard would get all empty files. */
const opening = 1 << 16

/** @returns by file the number of its shard, from 1 */
export function divide(files: readonly Sized[], shards: number): number[] {
  const weight = (file: number): number => (files[file] as Sized).size + opening
  const name = (file: number): string => (files[file] as Sized).name
  const largestFirst = [...files.keys()].sort((a, b) => weight(b) - weight(a) || (name(a) < name(b) ? -1 : 1))
  const result = new Array<number>(files.length)
  const least = new LeastLoaded(shards)
  for (const file of largestFirst) result[file] = least.take(weight(file)) + 1
  return result
}

/**
 * A heap of shards, the one with least on top: of a million files and a thousand shards each pair is too much to look
 * at.
 */
class LeastLoaded {
  readonly #loads: Float64Array
  readonly #heap: number[]

  constructor(shards: number) {
    this.#loads = new Float64Array(shards)
    this.#heap = Array.from({ length: shards }, (_, shard) => shard)
  }

  /** @returns the shard that gets so much more */
  take(load: number): number {
    const heap = this.#heap
    const top = heap[0] as number
    this.#loads[top] = (this.#loads[top] as number) + load
    for (let at = 0; ; ) {
      let next = at
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heap.length && this.#isBefore(heap[child] as number, heap[next] as number)) next = child
      }
      if (next === at) return top
      ;[heap[at], heap[next]] = [heap[next] as number, heap[at] as number]
      at = next
    }
  }

  #isBefore(a: number, b: number): boolean {
    const difference = (this.#loads[a] as number) - (this.#loads[b] as number)
    return difference < 0 || (difference === 0 && a < b)
  }
}
