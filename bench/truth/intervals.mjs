/**
 * Intervals that hold nine of ten requests of owners that they were not measured on: what coverage.mjs measures, from the
 * errors alone.
 *
 * A test is `{ program, test, estimator, owner, errors }`: the errors of one transcript's requests, in percent.
 */
/** Of fewer transcripts, or of one owner, an interval says nothing of others. */
const fewestTranscripts = 10
const fewestOwners = 2
/** How many of the requests an interval is to hold. */
const share = 0.9
/** The steps in which an interval is widened until it holds them. */
const step = 0.1

/**
 * The intervals: one for each program, test and estimator with enough transcripts of enough owners, and one of all programs.
 * @param tests as `testsOf` gives them
 */
export function intervalsOf(tests) {
  const rows = []
  for (const ofKind of grouped(tests, ({ test, estimator }) => `${estimator} ${test}`).values()) {
    const { test, estimator } = ofKind[0]
    for (const [program, own] of grouped(ofKind, (one) => one.program))
      if (suffices(own)) rows.push({ program, test, estimator, ...widened(own, ofKind) })
    rows.push({ program: null, test, estimator, ...widened(ofKind, ofKind) })
  }
  return rows
}

function grouped(tests, keyOf) {
  const groups = new Map()
  for (const one of tests) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one])
  return groups
}

const ownersOf = (tests) => [...new Set(tests.map(({ owner }) => owner))]
const suffices = (tests) => tests.length >= fewestTranscripts && ownersOf(tests).length >= fewestOwners

/**
 * The middle nine tenths, widened until those measured without an owner hold nine of ten of that owner's requests.
 * @param all of this kind
 */
function widened(tests, all) {
  let by = 1
  while (heldOfOthers(tests, all, by) < share - 1e-9) by += step
  const [low, high] = scaled(middle(tests), by).map((percent) => Math.round(10 * percent) / 10)
  return { transcripts: tests.length, owners: ownersOf(tests).length, by, low, high }
}

/**
 * Which part of the requests of each owner is held by what is measured without that owner, each transcript counting the
 * same. Where too little is left without an owner, that is what all programs give.
 */
function heldOfOthers(tests, all, by) {
  const parts = ownersOf(tests).map((owner) => {
    const [own, rest, allRest] = [
      tests.filter((one) => one.owner === owner),
      tests.filter((one) => one.owner !== owner),
      all.filter((one) => one.owner !== owner),
    ]
    // Of a single owner nothing can be said: it is held by itself.
    const from = suffices(rest) ? rest : allRest.length > 0 ? allRest : own
    return own.length * held(own, scaled(middle(from), by))
  })
  return parts.reduce((sum, part) => sum + part, 0) / tests.length
}

/** The twentieth and the nineteen twentieths of the errors, each transcript counting the same. */
function middle(tests) {
  const weighted = tests
    .flatMap(({ errors }) => errors.map((error) => ({ error, weight: 1 / errors.length / tests.length })))
    .sort((a, b) => a.error - b.error)
  const at = (part) => {
    let sum = 0
    for (const { error, weight } of weighted) {
      sum += weight
      if (sum >= part - 1e-9) return error
    }
    return weighted.at(-1)?.error ?? 0
  }
  return [at((1 - share) / 2), at((1 + share) / 2)]
}

/** Widened to either side alike, by its width or its distance from no error, whichever is more, and by a percent at least. */
function scaled([low, high], by) {
  const half = (Math.max(1, Math.abs(low), Math.abs(high), high - low) * (by - 1)) / 2
  return [low - half, high + half]
}

/** Which part of the requests of transcripts an interval holds, each transcript counting the same. */
export function held(tests, [low, high]) {
  const parts = tests.map(
    ({ errors }) => errors.filter((error) => error >= low && error <= high).length / errors.length,
  )
  return parts.reduce((sum, part) => sum + part, 0) / parts.length
}

/** As the program looks it up: its own, or that of all. */
export function intervalFor(rows, { program, test, estimator }) {
  const of = (name) => rows.find((row) => row.program === name && row.test === test && row.estimator === estimator)
  return of(program) ?? of(null)
}

/**
 * How many requests are held of transcripts of owners that the intervals were not measured on.
 * @param unseen tests that are no part of the measurement; null takes each owner of the measurement in turn
 */
export function coverageOf(tests, unseen) {
  const rows = intervalsOf(tests)
  const groups = grouped(unseen ?? tests, ({ program, test, estimator }) => `${estimator} ${program} ${test}`)
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, own]) => {
      const [{ program, test, estimator }] = own
      const row = intervalFor(rows, own[0])
      const all = tests.filter((one) => one.test === test && one.estimator === estimator)
      const part = unseen ? held(own, [row.low, row.high]) : heldOfOthers(own, all, row.by)
      return { program, test, estimator, transcripts: own.length, owners: ownersOf(own).length, row, part }
    })
}
