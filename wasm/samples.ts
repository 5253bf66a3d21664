/**
 * The sums of a calibration: the loop of `addSamples` in src/estimators/samples.ts, which the tests hold this against and
 * which fills the columns.
 */

/** Three rows of four. */
export const sums: usize = memory.data(12 * 8, 16)
/** Five columns behind one another: see `Samples` in src/estimators/samples.ts. */
export const columns: usize = (__heap_base + 15) & ~15

let length: i32 = 0

/** Makes room for so many samples. @returns whether there is any */
export function reserve(samples: i32): bool {
  length = samples
  const end = columns + 5 * ((<usize>samples) << 3)
  const pages = <i32>((end + 0xffff) >>> 16)
  return pages <= memory.size() || memory.grow(pages - memory.size()) >= 0
}

export function addSamples(preamble: f64, factor: f64, thought: f64, precision: f64): void {
  const size = (<usize>length) << 3
  for (let at: usize = columns, end: usize = columns + size; at < end; at += 8) {
    const a = load<f64>(at)
    const b = load<f64>(at + size)
    const c = load<f64>(at + 2 * size)
    const value = load<f64>(at + 3 * size)
    const input = load<f64>(at + 4 * size)
    const error = Math.max(precision, Math.abs(a * preamble + b * factor + c * thought - value) / input)
    const weight = (at === columns && a === 1 ? <f64>length : 1) / (error * input * input)
    addRow(0, weight * a, a, b, c, value)
    addRow(32, weight * b, a, b, c, value)
    addRow(64, weight * c, a, b, c, value)
  }
}

function addRow(row: usize, by: f64, a: f64, b: f64, c: f64, value: f64): void {
  const at = sums + row
  store<f64>(at, load<f64>(at) + by * a)
  store<f64>(at, load<f64>(at, 8) + by * b, 8)
  store<f64>(at, load<f64>(at, 16) + by * c, 16)
  store<f64>(at, load<f64>(at, 24) + by * value, 24)
}
