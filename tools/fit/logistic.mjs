/** Logistic regression, written plainly: Newton's method on the penalised likelihood, and how well its scores part two classes. */

/**
 * The coefficients `w` for which `1 / (1 + exp(-rows[i] · w))` fits `labels[i]` best. The first column of a row is 1 for the
 * intercept, which alone is not drawn towards 0.
 *
 * @param {readonly Float64Array[]} rows
 * @param {readonly number[]} labels 0 or 1
 * @param {{ weights?: readonly number[], ridge?: number, rounds?: number }} [options] `ridge` is the strength that draws coefficients to 0
 */
export function logistic(rows, labels, { weights, ridge = 1, rounds = 25 } = {}) {
  const width = rows[0].length
  let fitted = new Float64Array(width)
  for (let round = 0; round < rounds; round++) {
    const slope = new Float64Array(width)
    const curvature = Array.from({ length: width }, () => new Float64Array(width))
    for (const [at, row] of rows.entries()) {
      const weight = weights?.[at] ?? 1
      const chance = chanceOf(row, fitted)
      const spread = weight * chance * (1 - chance)
      const error = weight * (labels[at] - chance)
      for (let one = 0; one < width; one++) {
        if (row[one] === 0) continue
        slope[one] += error * row[one]
        for (let other = 0; other <= one; other++) curvature[one][other] += spread * row[one] * row[other]
      }
    }
    for (let one = 0; one < width; one++) {
      for (let other = one + 1; other < width; other++) curvature[one][other] = curvature[other][one]
      curvature[one][one] += one === 0 ? 1e-9 : ridge
      if (one > 0) slope[one] -= ridge * fitted[one]
    }
    const step = solve(curvature, slope)
    fitted = fitted.map((value, one) => value + step[one])
    if (Math.max(...step.map(Math.abs)) < 1e-8) break
  }
  return fitted
}

export function chanceOf(row, coefficients) {
  let sum = 0
  for (let at = 0; at < row.length; at++) sum += row[at] * coefficients[at]
  return 1 / (1 + Math.exp(-sum))
}

/** Gaussian elimination with the largest pivot. */
function solve(matrix, target) {
  const rows = matrix.map((row, at) => [...row, target[at]])
  for (let column = 0; column < rows.length; column++) {
    let pivot = column
    for (let row = column + 1; row < rows.length; row++) {
      if (Math.abs(rows[row][column]) > Math.abs(rows[pivot][column])) pivot = row
    }
    ;[rows[column], rows[pivot]] = [rows[pivot], rows[column]]
    for (let row = 0; row < rows.length; row++) {
      if (row === column) continue
      const factor = rows[row][column] / rows[column][column]
      for (let at = column; at <= rows.length; at++) rows[row][at] -= factor * rows[column][at]
    }
  }
  return Float64Array.from(rows, (row, at) => row[rows.length] / row[at])
}

/** The chance that a positive has a higher score than a negative (the area under the ROC curve); ties count half. */
export function areaUnder(scores, labels) {
  const order = Array.from(scores, (_, at) => at).sort((a, b) => scores[a] - scores[b])
  let [ranks, positives] = [0, 0]
  for (let from = 0; from < order.length; ) {
    let to = from
    while (to < order.length && scores[order[to]] === scores[order[from]]) to++
    for (let at = from; at < to; at++) {
      if (labels[order[at]] !== 1) continue
      positives++
      ranks += (from + to + 1) / 2
    }
    from = to
  }
  return (ranks - (positives * (positives + 1)) / 2) / (positives * (order.length - positives))
}
