/** From stretches of recorded sessions to the requests that are still to come: see advice.mjs. */

/** Places of a row: how many requests were made. */
export const from = [1, 2, 4, 8, 16, 32, 64, 128, 256]
/** What all programs together weigh beside one of them: so many stretches. */
const weightOfAll = 10

/**
 * The table that follows from what was taken from sessions.
 * @param learned for each session its `stretches` ({ program, length } in requests)
 */
export function leftIn(learned) {
  return leftOf(learned.flatMap((one) => one.stretches).filter(({ length }) => length > 1))
}

function byProgram(rows) {
  const programs = [...new Set(rows.map(({ program }) => program))].sort()
  return programs.map((program) => [program, rows.filter((row) => row.program === program)])
}
const rounded = (value, digits) => Number(value.toFixed(digits))

function leftOf(stretches) {
  const all = sumsOf(stretches)
  const means = all.map(({ sum, weight }) => (weight > 0 ? sum / weight : null))
  // Nobody got as far: as far as anybody got.
  for (const place of means.keys()) means[place] ??= means[place - 1] ?? 0
  const rowOf = (rows, sums) => ({ stretches: rows.length, left: sums.map((mean) => rounded(mean, 1)) })
  const own = byProgram(stretches).map(([program, rows]) => {
    const drawn = sumsOf(rows).map(({ sum, weight }, place) => {
      return (sum + weightOfAll * shareOf(all, place) * means[place]) / (weight + weightOfAll * shareOf(all, place))
    })
    return [program, rowOf(rows, drawn)]
  })
  return { from, all: rowOf(stretches, means), programs: Object.fromEntries(own) }
}

/** Which share of all draws falls there; where none does, any weight gives the same. */
const shareOf = (all, place) => all[place].weight / all.reduce((sum, { weight }) => sum + weight, 0) || 1

function sumsOf(stretches) {
  const sums = from.map(() => ({ sum: 0, weight: 0 }))
  for (const { length } of stretches) {
    for (let made = 1; made < length; made++) {
      const place = sums[from.findLastIndex((least) => least <= made)]
      place.sum += (length - made - 1) / (length - 1)
      place.weight += 1 / (length - 1)
    }
  }
  return sums
}
