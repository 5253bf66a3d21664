/**
 * WebAssembly modules of this package, which are written in AssemblyScript (wasm/) and built into dist/wasm/. Each of them has
 * a slower twin in TypeScript that does the same.
 *
 * Node 20 optimises calls into WebAssembly in a way that crashes the process, unless it is told not to before anything is
 * loaded, as src/cli/start.ts does. A library does not tell a process what to do, so on Node 20 it takes the twins.
 */
import { readFileSync } from 'node:fs'

// The types for Node have none for these.
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown }
}

export interface WasmMemory {
  /** Another one after the memory has grown; the one before is then empty. */
  readonly buffer: ArrayBuffer
}

/** A constant of a module: an address in its memory. */
export interface WasmAddress {
  readonly value: number
}

let isSafe = Number.parseInt(process.versions.node, 10) >= 22

export const isWasmSafe = (): boolean => isSafe

/** For a program that was started so that WebAssembly is safe on Node 20, too. */
export function allowWasm(): void {
  isSafe = true
}

const modules = new Map<string, object>()

/** A new instance of a module, with its own memory. @returns its exports */
export function instantiate<Exports>(name: 'references' | 'price' | 'samples', imports: object): Exports {
  let module = modules.get(name)
  if (module === undefined) {
    // The path is the same from src/ and from dist/.
    module = new WebAssembly.Module(readFileSync(new URL(`../../dist/wasm/${name}.wasm`, import.meta.url)))
    modules.set(name, module)
  }
  return new WebAssembly.Instance(module, imports).exports as Exports
}
