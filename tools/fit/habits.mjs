/** From stretches and cuts of recorded sessions to the tables that `advise` goes by: see advice.mjs. */

/** Places of a row: how many requests were made. */
export const from = [1, 2, 4, 8, 16, 32, 64, 128, 256]
/** What all programs together weigh beside one of them: so many stretches, or cuts. */
const weightOfAll = 10

/**
 * The tables that follow from what was taken from sessions.
 * @param learned for each session its `stretches` ({ program, length } in requests) and `cuts` ({ program, dropped, tokens, requests })
 * @returns `{ left, rereads }`
 */
export function learn(learned) {
  const stretches = learned.flatMap((one) => one.stretches).filter(({ length }) => length > 1)
  const cuts = learned.flatMap((one) => one.cuts)
  return { left: leftOf(stretches), rereads: rereadsOf(cuts) }
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

function rereadsOf(cuts) {
  const sumOf = (rows, of) => rows.reduce((sum, row) => sum + row[of], 0)
  const rate = (rows, of) => Math.max(0, sumOf(rows, of) / Math.max(1, sumOf(rows, 'dropped') / 1000))
  const all = { tokens: rate(cuts, 'tokens'), requests: rate(cuts, 'requests') }
  const rowOf = (rows, weight) => {
    const drawn = (of) => (rows.length * rate(rows, of) + weight * all[of]) / Math.max(1, rows.length + weight)
    return { cuts: rows.length, tokens: rounded(drawn('tokens'), 2), requests: rounded(drawn('requests'), 5) }
  }
  const own = byProgram(cuts).map(([program, rows]) => [program, rowOf(rows, weightOfAll)])
  return { all: rowOf(cuts, 0), programs: Object.fromEntries(own) }
}
