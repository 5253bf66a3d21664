/**
 * Fits how large a program's hidden preamble is: log P over sessions, all programs → program → main or sub-agent → version.
 * The mean of each level leans towards that of the level above, the more the fewer owners speak (empirical Bayes, as in
 * Efron and Morris). Owners count the same, however many sessions they have.
 *
 * A session is `{ program, recorded, agent, version, owner, tokens }`; the rows are `UsualPreamble` of src/models/table.ts.
 */

/** The fewest owners of a group of versions. With fewer, one person's tools would speak for everybody. */
const fewestOwners = 4
/** How many owners, or sessions, the spread of all programs counts as, beside that of the program itself. */
const weight = 2
/** The degrees of freedom of a program that one or two owners speak for. */
const fewestDegrees = 2

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length
const squares = (values) => values.reduce((sum, value) => sum + (value - mean(values)) ** 2, 0)

/** [2, 1, 10] for "2.1.17": versions are taken together by ten. Null for what is no such version. */
function decadeOf(version) {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)/.exec(version ?? '') ?? []
  return major === undefined ? null : [Number(major), Number(minor), 10 * Math.floor(Number(patch) / 10)]
}

const compare = (one, other) => one.map((part, at) => part - other[at]).find((part) => part !== 0) ?? 0

function grouped(values, keyOf) {
  const groups = new Map()
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value])
  return [...groups.values()]
}

/** By owner: the logarithms of the tokens. */
const byOwner = (sessions) => grouped(sessions, ({ owner }) => owner).map((own) => own.map(logOf))
const logOf = ({ tokens }) => Math.log(tokens)
const ownerMeans = (sessions) => byOwner(sessions).map(mean)

function shrunk(sessions, parent) {
  const means = ownerMeans(sessions)
  return (means.length * mean(means) + parent) / (means.length + 1)
}

/** Sums of squares and degrees of freedom, between owners and between the sessions of one. */
function spreadOf(sessions) {
  const owners = byOwner(sessions)
  return {
    owner: { squares: squares(owners.map(mean)), degrees: owners.length - 1 },
    session: {
      squares: owners.map(squares).reduce((sum, one) => sum + one, 0),
      degrees: sessions.length - owners.length,
    },
  }
}

/** The groups of versions of enough owners, each by the decade it is nearest to. */
function versionGroups(sessions) {
  const dated = sessions.flatMap((session) => ({ session, decade: decadeOf(session.version) }))
  const known = dated.filter(({ decade }) => decade !== null)
  const decades = [...new Map(known.map(({ decade }) => [decade.join('.'), decade])).values()].sort(compare)
  return decades.map((at, rank) => {
    // By their order: how far two numbers of a version are apart says little.
    const near = decades.toSorted((a, b) => Math.abs(decades.indexOf(a) - rank) - Math.abs(decades.indexOf(b) - rank))
    const group = []
    for (const decade of near) {
      group.push(...known.filter((one) => compare(one.decade, decade) === 0).map(({ session }) => session))
      if (byOwner(group).length >= fewestOwners) break
    }
    return { from: at.join('.'), group }
  })
}

/** @returns rows by program, those of no version first; the last row is of all programs */
export function rowsOf(sessions) {
  const programs = grouped(sessions, ({ program, recorded }) => `${program} ${recorded}`)
  const means = programs.map((own) => mean(ownerMeans(own)))
  const all = mean(means)
  const spreads = programs.map(spreadOf)
  const pooled = (kind) => {
    const sum = (key) => spreads.reduce((total, one) => total + one[kind][key], 0)
    return sum('squares') / Math.max(1, sum('degrees'))
  }
  const [owner, session] = [pooled('owner'), pooled('session')]
  const rows = programs.flatMap((own, at) => {
    const { program, recorded } = own[0]
    const owners = byOwner(own).length
    const variance = (kind, usual) =>
      (spreads[at][kind].squares + weight * usual) / (spreads[at][kind].degrees + weight)
    const figures = {
      between: Math.sqrt(variance('owner', owner) * (1 + 1 / owners)),
      within: Math.sqrt(variance('session', session)),
      degrees: Math.max(fewestDegrees, owners),
    }
    const row = (agent, from, of, log) => ({
      ...{ program, recorded, agent, from, sessions: of.length, owners: byOwner(of).length },
      ...{ tokens: Math.round(Math.exp(log)), ...figures },
    })
    const base = shrunk(own, all)
    const agents = ['main', 'sub'].flatMap((agent) => {
      const of = own.filter((one) => one.agent === agent)
      if (of.length === 0) return []
      const log = shrunk(of, base)
      return [
        row(agent, null, of, log),
        ...versionGroups(of).map(({ from, group }) => row(agent, from, group, shrunk(group, log))),
      ]
    })
    return [row(null, null, own, base), ...agents]
  })
  const between = Math.sqrt((squares(means) / Math.max(1, means.length - 1)) * (1 + 1 / means.length) + owner)
  const rest = { sessions: sessions.length, owners: byOwner(sessions).length, tokens: Math.round(Math.exp(all)) }
  const last = { ...rest, between, within: Math.sqrt(session), degrees: Math.max(fewestDegrees, means.length - 1) }
  return [...rows, { program: null, recorded: null, agent: null, from: null, ...last }]
}
