import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { byVersion, daysOf, isFrom, originOf } from '../../bench/truth/groups.mjs'
import { manifested, manifestIn } from '../../bench/truth/manifest.mjs'

const day = Date.parse('2026-03-01T12:00:00Z')

/** As `originOf` has it. */
const origin = (format: string, band: number, at = 0) => ({
  format,
  version: null,
  band,
  owner: `owner ${at % 2}`,
  cameLater: false,
  first: day + at * 86_400_000,
  last: day + at * 86_400_000,
})

interface Group {
  readonly name: string
  readonly cells: readonly unknown[]
  readonly list: readonly unknown[]
}

describe('the rows of the accuracy tables', () => {
  it('are of versions with three transcripts or more; the others stand together, and so do formats', () => {
    const all = [
      ...[0, 1, 2, 3].map((at) => ({ origin: origin('codex', 1, at) })),
      ...[4, 5].map((at) => ({ origin: origin('codex', 2, at) })),
      { origin: origin('codex', -1, 6) },
      ...[7, 8, 9].map((at) => ({ origin: origin('pi', -1, at) })),
      { origin: origin('atif', -1, 10) },
    ]
    const rows = byVersion((groups) => groups(all).map(({ name, cells }: Group) => [name, ...cells]))
    expect(rows).toEqual([
      ['codex', '0.140 to 0.143', 4, 2, '2026-03-01 to 2026-03-04'],
      ['codex', 'other', 3, 2, '2026-03-05 to 2026-03-07'],
      ['pi', 'all', 3, 2, '2026-03-08 to 2026-03-10'],
      ['other formats', 'all', 1, 1, '2026-03-11'],
    ])
  })

  it('hold each transcript once, whatever the versions, and are one for a program where there are more than forty', () => {
    const one = fc.record({
      format: fc.constantFrom('claude-code', 'codex', 'opencode', 'pi'),
      band: fc.integer({ min: -1, max: 1 }),
    })
    fc.assert(
      fc.property(fc.array(one), fc.boolean(), (list, isLong) => {
        const all = list.map(({ format, band }, at) => ({ origin: origin(format, format === 'pi' ? -1 : band, at) }))
        const rows = byVersion((groups) =>
          groups(all).flatMap((group: Group) => Array.from({ length: isLong ? 41 : 1 }, () => [group])),
        ) as [Group][]
        const found = [...new Set(rows.map(([group]) => group))]
        expect(found.flatMap((group) => group.list)).toHaveLength(all.length)
        expect(new Set(found.flatMap((group) => group.list))).toEqual(new Set(all))
        const names = found.map(({ name }) => name)
        if (isLong) expect(new Set(names).size).toBe(names.length)
      }),
    )
  })

  it('know a version from its numbers', () => {
    expect(isFrom('2.1.43', [2, 1, 43])).toBe(true)
    expect(isFrom('2.1.9', [2, 1, 43])).toBe(false)
    expect(isFrom('0.140.0-alpha.2', [0, 140])).toBe(true)
    expect(isFrom('2.0.76', [2, 1, 0])).toBe(false)
  })

  it('say nothing of days that were not recorded', () => {
    expect(daysOf([{ ...origin('pi', -1), first: Number.NaN, last: Number.NaN }])).toBe('-')
  })
})

describe('a folder with a manifest', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ctxwin-truth-'))
  afterEach(() => rmSync(folder, { recursive: true }))

  it('stands for what was recorded, and knows the owners that came after the fits', () => {
    const rows = [
      'path\tformat\tkind\tsource',
      'a/1.jsonl\tcodex\treal\tlamp/one@1:x',
      'a/2.jsonl\tcodex\tsession\tlamp/two@1:x',
      'a/3.jsonl\tcodex\tsession\tkite/one@1:x',
      'b/4.jsonl\tcodex\tfixture\tkite/one@1:x',
    ]
    writeFileSync(join(folder, 'MANIFEST.tsv'), `${rows.join('\n')}\n`)
    mkdirSync(join(folder, 'a'))
    const file = join(folder, 'a/3.jsonl')
    writeFileSync(file, '{"type":"session_meta","payload":{"cli_version":"0.144.1"}}\n')
    const recorded = [...(manifestIn(folder) ?? [])].filter(([, { isRecorded }]) => isRecorded)
    expect(recorded.map(([path]) => path)).toEqual(['a/1', 'a/2', 'a/3'].map((name) => join(folder, `${name}.jsonl`)))
    expect(['a/1', 'a/2', 'a/3'].map((name) => manifested(join(folder, `${name}.jsonl`))?.cameLater)).toEqual([
      false,
      false,
      true,
    ])
    const trace = { head: { format: 'codex', file }, requests: 0, requestTime: () => Number.NaN }
    expect(originOf(trace)).toMatchObject({ version: '0.144.1', band: 2, owner: 'kite', cameLater: true })
    expect(manifested(join(tmpdir(), 'nowhere.jsonl'))).toBeNull()
  })
})
