/**
 * WebAssembly modules of this package, which are written in AssemblyScript (wasm/) and built into dist/wasm/. A twin in
 * JavaScript takes their place where WebAssembly is refused: where a limit on address space leaves no room for its
 * memory, and in a library on Node 20. That Node optimises calls into WebAssembly in a way that crashes the process,
 * unless it is told not to before anything is loaded, as src/cli/start/start.ts does; a library does not tell a process
 * what to do.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

// The types for Node have none for these.
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number; readonly maximum: number }) => WasmMemory
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown }
}

/** Of WebAssembly, or of a twin. */
export interface WasmMemory {
  /** Another one after the memory has grown; of WebAssembly the one before is then empty. */
  readonly buffer: ArrayBuffer
}

/** A constant of a module: an address in its memory. */
export interface WasmAddress {
  readonly value: number
}

let isUsed = Number.parseInt(process.versions.node, 10) >= 22

export const usesWasm = (): boolean => isUsed

/** @param may whether this program was started so that WebAssembly is safe, and has room for it */
export function useWasm(may: boolean): void {
  isUsed = may
}

/** In bytes. tools/build/wasm.mjs gives each module a place for its tables among the first. */
const [page, first] = [0x10000, 0x90000]

/**
 * @param room in bytes: the most that is put behind the tables
 * @returns null where the system has no room for another one, as under a limit on address space
 */
export function newMemory(room: number): WasmMemory | null {
  try {
    return new WebAssembly.Memory({ initial: first / page, maximum: Math.ceil((first + room) / page) })
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

let shared: WasmMemory | null | undefined
const sharedRoom = 2 ** 28

/**
 * The memory that the modules have together. Each has its tables in a place of its own; what lies behind them is a
 * scratch pad, which holds what one of them was given until another is called.
 */
export function sharedMemory(): WasmMemory | null {
  if (shared === undefined) shared = newMemory(sharedRoom)
  return shared
}

/** The memory of a twin. */
export const plainMemory = (): WasmMemory => ({ buffer: new ArrayBuffer(first) })

const modules = new Map<string, object>()

/**
 * A new instance of a module, or of its twin for a `plainMemory`.
 * @returns its exports
 */
export function instantiate<Exports>(name: 'references' | 'price', memory: WasmMemory, imports: object = {}): Exports {
  const all = { env: { memory }, ...imports }
  // The paths are the same from src/ and from dist/.
  if (!(memory instanceof WebAssembly.Memory)) {
    const twin: (imports: object) => unknown = createRequire(import.meta.url)(`../../dist/wasm/${name}.cjs`)
    return twin(all) as Exports
  }
  let module = modules.get(name)
  if (module === undefined) {
    module = new WebAssembly.Module(readFileSync(new URL(`../../dist/wasm/${name}.wasm`, import.meta.url)))
    modules.set(name, module)
  }
  return new WebAssembly.Instance(module, all).exports as Exports
}
