/**
 * The samples of a calibration in columns, and their equations added up: in WebAssembly (wasm/samples.ts) where there is room for it.
 * A calibration goes through all samples forty times, which V8 took longer to optimise than to do. Both add up the same
 * products in the same order, so their sums are equal to the last bit, which the tests demand.
 */
import { instantiate, sharedMemory, usesWasm, type WasmAddress } from '../base/wasm.ts'

/** A row each: `head * preamble + units * factor + beyond * thought = tokens`. */
export interface Samples {
  /** 1 where the preamble is a part of the tokens, else 0. */
  readonly heads: Float64Array
  readonly units: Float64Array
  readonly beyond: Float64Array
  readonly tokens: Float64Array
  /** All tokens of the request: what its error is relative to. */
  readonly inputs: Float64Array
  /** Weighted least squares in three unknowns: three rows of four. */
  readonly sums: Float64Array
  /** Adds the equations to the sums, weighted by the errors that they have with these values. */
  addSamples(preamble: number, factor: number, thought: number): void
}

/** Relative errors below this count as zero. */
export const precision = 1e-4

/**
 * Columns to be filled in, whatever stands there, and sums of 0. Samples opened before must not be used any longer, and these
 * not after a text was looked through.
 */
export const openSamples = (length: number): Samples => (usesWasm() ? samplesInKernel : samplesInTypescript)(length)

export function samplesInTypescript(length: number): Samples {
  const [heads, units, beyond, tokens, inputs] = columnsIn(new ArrayBuffer(5 * 8 * length), 0, length)
  const sums = new Float64Array(12)
  const addSamples: Samples['addSamples'] = (preamble, factor, thought) => {
    for (let at = 0; at < length; at++) {
      const a = heads[at]!
      const b = units[at]!
      const c = beyond[at]!
      const value = tokens[at]!
      const input = inputs[at]!
      // Squares weighted by 1 / (error * input^2) add up to relative errors.
      const error = Math.max(precision, Math.abs(a * preamble + b * factor + c * thought - value) / input)
      addEquation(sums, a, b, c, value, (at === 0 && a === 1 ? length : 1) / (error * input * input))
    }
  }
  return { heads, units, beyond, tokens, inputs, sums, addSamples }
}

/** Adds an equation in three unknowns to the sums of weighted least squares. */
export function addEquation(sums: Float64Array, a: number, b: number, c: number, value: number, weight: number): void {
  const x = weight * a
  const y = weight * b
  const z = weight * c
  sums[0]! += x * a
  sums[1]! += x * b
  sums[2]! += x * c
  sums[3]! += x * value
  sums[4]! += y * a
  sums[5]! += y * b
  sums[6]! += y * c
  sums[7]! += y * value
  sums[8]! += z * a
  sums[9]! += z * b
  sums[10]! += z * c
  sums[11]! += z * value
}

interface Exports {
  readonly sums: WasmAddress
  readonly columns: WasmAddress
  /** @returns 0 where there is no room for so many */
  reserve(samples: number): number
  addSamples(preamble: number, factor: number, thought: number, precision: number): void
}

let kernel: Exports | undefined

export function samplesInKernel(length: number): Samples {
  const memory = sharedMemory()
  if (memory === null) return samplesInTypescript(length)
  kernel ??= instantiate<Exports>('samples', memory)
  const { sums: place, columns, reserve, addSamples: add } = kernel
  if (!reserve(length)) return samplesInTypescript(length)
  const [heads, units, beyond, tokens, inputs] = columnsIn(memory.buffer, columns.value, length)
  const sums = new Float64Array(memory.buffer, place.value, 12).fill(0)
  const addSamples: Samples['addSamples'] = (preamble, factor, thought) => add(preamble, factor, thought, precision)
  return { heads, units, beyond, tokens, inputs, sums, addSamples }
}

type Columns = [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array]

function columnsIn(buffer: ArrayBuffer, from: number, length: number): Columns {
  return Array.from({ length: 5 }, (_, at) => new Float64Array(buffer, from + 8 * length * at, length)) as Columns
}
