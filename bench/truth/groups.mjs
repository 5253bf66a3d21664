/** The rows of a table by program and version: what a transcript is of, and which are too few to stand alone. */
import { closeSync, openSync, readSync } from 'node:fs'
import { manifested } from './manifest.mjs'

/**
 * The versions of each program that a row puts together, each from its first one on. They begin where what a program sends or
 * records behind a compaction became another: Claude Code's rules were learned up to 2.1.42, and its attachments are recorded
 * from 2.1.2xx on; Codex compacts by its provider from 0.140 on, and models that keep their thoughts came with 0.144; opencode
 * keeps a tail from 1.16 on.
 */
const bands = {
  'claude-code': [
    ['before 2.1', [0]],
    ['2.1.0 to 2.1.42', [2, 1, 0]],
    ['2.1.43 to 2.1.199', [2, 1, 43]],
    ['from 2.1.200', [2, 1, 200]],
  ],
  codex: [
    ['before 0.140', [0]],
    ['0.140 to 0.143', [0, 140]],
    ['from 0.144', [0, 144]],
  ],
  opencode: [
    ['before 1.16', [0]],
    ['from 1.16', [1, 16]],
  ],
}

/** Where the file itself says which version wrote it, for programs whose readers do not tell. */
const versionIn = {
  codex: /"cli_version":\s*"(\d[^"]*)"/,
  opencode: /"version":\s*"(\d[^"]*)"/,
}

/** Bytes from the start in which that stands; Codex has its instructions in front of it. */
const start = 65_536

function versionOf({ format, version, file }) {
  if (version || !versionIn[format]) return version ?? null
  const bytes = Buffer.alloc(start)
  const descriptor = openSync(file)
  try {
    const length = readSync(descriptor, bytes, 0, start, 0)
    return versionIn[format].exec(bytes.toString('utf8', 0, length))?.[1] ?? null
  } finally {
    closeSync(descriptor)
  }
}

/** Whether a version is the other one, given as numbers, or a later one. */
export function isFrom(version, other) {
  const parts = version.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0)
  for (const [at, number] of other.entries()) if ((parts[at] ?? 0) !== number) return (parts[at] ?? 0) > number
  return true
}

/**
 * What a transcript is of.
 * @returns {{ format: string, version: string | null, band: number, owner: string | null, cameLater: boolean, first: number, last: number }} `band` -1 where the version is not recorded; times in milliseconds, NaN for none
 */
export function originOf(trace) {
  const { format, file } = trace.head
  const version = versionOf(trace.head)
  let [first, last] = [Number.NaN, Number.NaN]
  for (let request = 0; request < trace.requests; request++) {
    const time = trace.requestTime(request)
    if (!(first <= time)) first = Number.isNaN(time) ? first : time
    if (!(last >= time)) last = Number.isNaN(time) ? last : time
  }
  const band = version === null ? -1 : (bands[format] ?? []).findLastIndex(([, from]) => isFrom(version, from))
  const { owner = null, cameLater = false } = manifested(file) ?? {}
  return { format, version, band, owner, cameLater, first, last }
}

/** Fewer transcripts than this are no row of their own. */
const fewest = 3

/** With more rows than this a table is folded: one row for all versions of a program. */
const mostRows = 40

/** What stands in each row of a group, behind its name. */
export const groupHead = ['versions', 'transcripts', 'owners', 'recorded']

/**
 * The rows of a table: those of each program and version, or, where that is too long a table, of each program.
 * @param {(groups: (all: any, options?: { by?: (one: any) => string, alone?: boolean }) => any[]) => unknown[][]} rowsOf makes the rows of the groups that it is given
 */
export function byVersion(rowsOf) {
  const rows = rowsOf((some, options) => groupsOf(some, { ...options, split: true }))
  return rows.length > mostRows ? rowsOf((some, options) => groupsOf(some, { ...options, split: false })) : rows
}

/**
 * Groups by program and version, in the order of both. What is too small for a row is put together: versions with the other
 * small ones of the program, programs with each other.
 * @param {readonly { origin: ReturnType<typeof originOf> }[]} all of several with the same origin the transcript counts once
 * @param {{ by?: (one: any) => string, alone?: boolean, split: boolean }} options `by` names the program; `alone` keeps small ones apart
 */
function groupsOf(all, { by = ({ origin }) => origin.format, alone = false, split }) {
  const programs = [...grouped(all, by)].sort(([a], [b]) => (a < b ? -1 : 1))
  const small = alone ? [] : programs.filter(([, list]) => transcriptsIn(list) < fewest)
  const rows = programs
    .filter((program) => !small.includes(program))
    .flatMap(([name, list]) => (split ? versionsOf(name, list) : [groupOf(name, 'all', list)]))
  const left = small.flatMap(([, list]) => list)
  return left.length === 0 ? rows : [...rows, groupOf('other formats', 'all', left)]
}

function versionsOf(name, list) {
  const own = [...grouped(list, ({ origin }) => origin.band)].sort(([a], [b]) => a - b)
  const named = own.filter(([band, some]) => band >= 0 && transcriptsIn(some) >= fewest)
  const rest = own.filter((one) => !named.includes(one)).flatMap(([, some]) => some)
  const rows = named.map(([band, some]) => groupOf(name, bands[some[0].origin.format][band][0], some))
  return rest.length === 0 ? rows : [...rows, groupOf(name, named.length === 0 ? 'all' : 'other', rest)]
}

function groupOf(name, versions, list) {
  const origins = [...new Set(list.map(({ origin }) => origin))]
  const owners = new Set(origins.flatMap(({ owner }) => owner ?? []))
  return { name, list, cells: [versions, origins.length, owners.size || '-', daysOf(origins)] }
}

const transcriptsIn = (list) => new Set(list.map(({ origin }) => origin)).size

/** The first and the last day that something was recorded on: "2026-01-05 to 2026-08-20". */
export function daysOf(origins) {
  const day = (time) => new Date(time).toISOString().slice(0, 10)
  const known = origins.filter(({ first }) => !Number.isNaN(first))
  if (known.length === 0) return '-'
  const [first, last] = [
    day(Math.min(...known.map((one) => one.first))),
    day(Math.max(...known.map((one) => one.last))),
  ]
  return first === last ? first : `${first} to ${last}`
}

export function grouped(all, by) {
  const groups = new Map()
  for (const one of all) groups.set(by(one), [...(groups.get(by(one)) ?? []), one])
  return groups
}
