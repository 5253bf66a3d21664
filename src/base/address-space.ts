/**
 * A limit on address space (`ulimit -v`, as some batch systems set it). Node reserves much that it never uses, and ends the
 * process where it cannot, so what is left is asked for before more is taken. Only Linux tells, and hardly any other system
 * has such a limit.
 */
import { readFileSync } from 'node:fs'
import { getHeapStatistics } from 'node:v8'

interface AddressSpace {
  /** In bytes. */
  readonly limit: number
  readonly left: number
}

/** Null where nothing is known of a limit. */
function addressSpace(): AddressSpace | null {
  try {
    const [, limit] = /^Max address space +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? []
    if (limit === undefined) return null
    const [, kilobytes] = /^VmSize:\s*(\d+) kB/m.exec(readFileSync('/proc/self/status', 'latin1')) ?? []
    return { limit: Number(limit), left: Number(limit) - Number(kilobytes) * 1024 }
  } catch {
    return null
  }
}

const bytesLeft = (): number => addressSpace()?.left ?? Infinity

/** In bytes: what V8 reserves for each memory of WebAssembly, so that it need not check addresses. */
const reservedForWasm = 10 * 2 ** 30
/** Whether it checks them all the same. */
const checksAddresses = [...process.execArgv, process.env.NODE_OPTIONS].some((words) =>
  words?.includes('--disable-wasm-trap-handler'),
)

/** Whether so many threads can have such a memory each, and a full heap besides: it would take the room of that. */
export function hasRoomForWasm(threads = 1): boolean {
  return checksAddresses || bytesLeft() > threads * (reservedForWasm + getHeapStatistics().heap_size_limit)
}

/** In bytes: up to 850 MB are reserved for each by V8 (bench/address-space.mjs), and the rest is for what it reads. */
const spaceOfThread = 1.5 * 2 ** 30

/** How many threads can be started; infinitely many where nothing is known of a limit. */
export const threadsWithRoom = (): number => Math.floor(bytesLeft() / spaceOfThread)

/** In bytes: with less, the program itself does not fit, or the heap of a run over a few large files. */
const [tooLittle, little] = [2 ** 25, 2 ** 28]

const limited = ({ limit }: AddressSpace): string =>
  `the limit on address space (ulimit -v) is ${Math.round(limit / 2 ** 20)} MB`

/** Why the program cannot be loaded, in words; null where it can. V8 would end the process with words of its own. */
export function wantOfSpace(): string | null {
  const space = addressSpace()
  return space === null || space.left >= tooLittle
    ? null
    : `${limited(space)}, which Node needs for itself: raise it to 3 GB`
}

/** Said before the files are read, as a warning of the same; null where all is well. */
export function warningOfSpace(): string | null {
  const space = addressSpace()
  if (space === null || space.left >= little) return null
  return `${limited(space)}, which is little for Node: should it run out of memory, raise it to 3 GB`
}
