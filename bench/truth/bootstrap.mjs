/** How sure a sum over a sample is. */
import { uniform } from '../../dist/base/uniform.js'

/**
 * The bootstrap (Efron 1979): what sums over a sample could as well have been, by drawing samples of the same size from it
 * with replacement. All of them are drawn at once, so that the sums of one draw belong together and may be divided or
 * subtracted.
 *
 * @param columns a value for each thing of the sample; all have the same length
 * @returns for each draw the sum of each column; the same for the same columns
 */
export function bootstrapSums(columns, draws = 1000) {
  const size = columns[0]?.length ?? 0
  const random = uniform(0x5eed)
  const times = new Float64Array(size)
  return Array.from({ length: draws }, () => {
    times.fill(0)
    for (let drawn = 0; drawn < size; drawn++) {
      const at = Math.floor(random() * size)
      times[at] = times[at] + 1
    }
    return Float64Array.from(columns, (column) => {
      let sum = 0
      for (let at = 0; at < size; at++) sum += times[at] * column[at]
      return sum
    })
  })
}
