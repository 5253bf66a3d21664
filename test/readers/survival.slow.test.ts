/** Puts a wrong value into every place of every record of every fixture: no reader may throw, or lose a record uncounted. */
import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readers } from '../../src/readers/index.ts'
import { readRecords as recordsIn } from '../../src/readers/lines/records.ts'
import { openFile } from '../../src/readers/lines/source.ts'
import { fixture, readText } from './reading.ts'

const wrong: readonly unknown[] = [null, 0, -1.5, '', 'x', [], {}, [null], [[]], [{}], { type: 'text' }, true]

type Path = readonly (string | number)[]

/** The paths of all members, those of a list only up to its third item. */
function* pathsIn(value: unknown, path: Path = []): Generator<Path> {
  if (typeof value !== 'object' || value === null || path.length > 8) return
  for (const key of Array.isArray(value) ? [...value.keys()].slice(0, 3) : Object.keys(value)) {
    yield [...path, key]
    yield* pathsIn((value as Record<string, unknown>)[key], [...path, key])
  }
}

function withValue(record: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return value
  const copy = Array.isArray(record) ? [...record] : { ...(record as object) }
  const members = copy as Record<string | number, unknown>
  members[key] = withValue(members[key], rest, value)
  return copy
}

/** As where transcripts are read: a log of text is put into records. */
async function recordsOf(path: string): Promise<unknown[]> {
  const records: unknown[] = []
  const sink = { record: (value: unknown) => void records.push(value), problem: () => {} }
  await recordsIn(openFile(path), sink, { columns: { conversations: [], about: [] } })
  const [document] = records
  return records.length === 1 && Array.isArray(document) ? document : records
}

/** Of a long session those that are new in kind: the same members were damaged in four records before. */
function differing(records: readonly unknown[]): readonly unknown[] {
  if (records.length <= 30) return records
  const seen = new Map<string, number>()
  return records.filter((record) => {
    const members = [...pathsIn(record)].map((path) => path.filter((key) => typeof key === 'string').join('.'))
    const kind = [...new Set(members)].sort().join(' ')
    const before = seen.get(kind) ?? 0
    seen.set(kind, before + 1)
    return before < 4
  })
}

describe.each(readers.names)('%s', (name) => {
  it.each(readdirSync(fixture(name)))('reads %s with a wrong value in any place', async (file) => {
    const records = differing(await recordsOf(fixture(name, file)))
    const paths = records.map((record) => [...pathsIn(record)])
    const whole = records.map((record) => JSON.stringify(record))
    // Every second record is damaged at once: a read for each place would take minutes.
    for (let round = 0; round < 2 * Math.max(...paths.map(({ length }) => length)); round++) {
      const places = paths.map((own, index) => ((index + round) % 2 === 0 ? own[round >> 1] : undefined))
      // A file of one record has only every second round.
      if (places.every((path) => path === undefined)) continue
      const damaged = records.map((record, index) => {
        const path = places[index]
        if (!path) return whole[index]
        return JSON.stringify(withValue(record, path, wrong[((round >> 1) + index) % wrong.length]))
      })
      const { report } = await readText(damaged.join('\n'), name)
      const accounted = report.used + report.noContext + report.leftOut
      if (accounted !== report.records) expect(accounted, `round ${round}`).toBe(report.records)
    }
  })
})
