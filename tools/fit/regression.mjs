/** Robust, non-negative, weighted least squares: tokens of a text as a dot product of its visits with coefficients. */

/**
 * Fits `counts[i] ≈ rows[i] · coefficients` with all coefficients ≥ 0: a character never makes a text cheaper, which also
 * limits the error for unfamiliar text. Errors are relative to the square root of the size, so that long texts do not
 * outweigh short ones; errors beyond `huber` robust deviations count linearly (Huber 1964). `ridge` pulls towards `prior`
 * with the strength of that many visits.
 *
 * @param {readonly ArrayLike<number>[]} rows
 * @param {readonly number[]} counts
 * @param {{ weights?: readonly number[], prior?: Float64Array, ridge?: number, huber?: number, rounds?: number }} [options]
 */
export function regress(rows, counts, { weights, prior, ridge = 1, huber = 2.5, rounds = 6 } = {}) {
  const width = rows[0].length
  let coefficients = prior ? Float64Array.from(prior) : new Float64Array(width)
  const base = counts.map((count, at) => (weights?.[at] ?? 1) / (count + 10))
  let current = base
  for (let round = 0; round < rounds; round++) {
    coefficients = solve(rows, counts, current, prior ?? new Float64Array(width), ridge, coefficients)
    const scaled = rows.map((row, at) => Math.abs(dot(row, coefficients) - counts[at]) / Math.sqrt(counts[at] + 10))
    const deviation = 1.4826 * median(scaled)
    current = base.map((weight, at) => weight * Math.min(1, (huber * deviation) / (scaled[at] || 1e-9)))
  }
  return coefficients
}

/** Coordinate descent on the normal equations (Franc, Hlaváč and Navara 2005), warm-started. */
function solve(rows, counts, weights, prior, ridge, start) {
  const width = prior.length
  const gram = new Float64Array(width * width)
  const target = new Float64Array(width)
  for (const [at, row] of rows.entries()) {
    const used = []
    for (let column = 0; column < width; column++) if (row[column] !== 0) used.push(column)
    for (const one of used) {
      const scaled = weights[at] * row[one]
      target[one] += scaled * counts[at]
      for (const other of used) gram[one * width + other] += scaled * row[other]
    }
  }
  const strength = ridge * median(weights)
  for (let column = 0; column < width; column++) {
    gram[column * width + column] += strength
    target[column] += strength * prior[column]
  }
  const result = Float64Array.from(start)
  const lines = Array.from(target, (_, column) => gram.subarray(column * width, (column + 1) * width))
  const slope = target.map((value, column) => -value + dot(lines[column], result))
  for (let sweep = 0; sweep < 3000; sweep++) {
    let moved = 0
    for (let column = 0; column < width; column++) {
      const next = Math.max(0, result[column] - slope[column] / gram[column * width + column])
      const step = next - result[column]
      if (step === 0) continue
      result[column] = next
      moved = Math.max(moved, Math.abs(step))
      addTimes(slope, step, lines[column])
    }
    if (moved < 1e-6) break
  }
  return result
}

/** A function of its own, so that V8 optimises it after a few calls: the loops around it are entered only once. */
function addTimes(sums, factor, row) {
  for (let at = 0; at < row.length; at++) sums[at] += factor * row[at]
}

export function dot(row, coefficients) {
  let sum = 0
  for (let at = 0; at < row.length; at++) sum += row[at] * coefficients[at]
  return sum
}

export function median(values) {
  return quantile(values, 0.5)
}

export function quantile(values, share) {
  const sorted = Float64Array.from(values).sort()
  return sorted.length === 0 ? 0 : sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
}

/** Errors of `estimates` in percent: bias of the sum, median and 90th percentile of the texts' errors. */
export function errors(estimates, counts) {
  const sum = (values) => values.reduce((total, value) => total + value, 0)
  const each = estimates.map((estimate, at) => (Math.abs(estimate - counts[at]) / counts[at]) * 100)
  const percent = (value) => Math.round(value * 100) / 100
  return {
    texts: counts.length,
    bias: percent((sum(estimates) / sum(counts) - 1) * 100),
    median: percent(median(each)),
    p90: percent(quantile(each, 0.9)),
  }
}
