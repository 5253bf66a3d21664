import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { claims, compare, partOf, tablesIn } from '../../bench/claims/claims.mjs'
import { pages, root } from '../docs.ts'

const bench = { name: 'bench/README.md', text: readFileSync(`${root}bench/README.md`, 'utf8') }
const stating = [...pages, bench].filter(({ text }) => tablesIn(text).length > 0)

describe('the figures of the docs', () => {
  it.each(stating)('of $name stand in tables that are declared', ({ name, text }) => {
    const own = claims.filter(({ page }) => page === name)
    const left = own.reduce((rest, claim) => rest.replace(partOf(text, claim), ''), text)
    expect(tablesIn(left).map(({ head }) => head.join(' | '))).toEqual([])
  })

  it.each(claims)('are there where $page, $from is declared', (claim) => {
    const part = partOf(readFileSync(root + claim.page, 'utf8'), claim)
    if (claim.sentences === undefined) expect(tablesIn(part).length).toBeGreaterThan(0)
    for (const { stated } of claim.sentences ?? []) expect(part).toMatch(stated)
  })

  const table = (...rows: string[]) =>
    `| format | n | off % |\n| --- | --: | --: |\n${rows.map((row) => `| ${row} |\n`).join('')}`
  const claim = { page: 'docs/truth.md', from: '', tolerance: { share: 0.02, points: 1 } }
  const stated = table('codex | 1,306 | −3.5', 'pi | 19 | +0.4')

  it.each([
    ['the same', table('codex | 1,306 | −3.5', 'pi | 19 | +0.4'), []],
    ['within what is allowed', table('codex | 1,320 | −4.4', 'pi | 20 | -0.5'), []],
    ['a count', table('codex | 1,340 | −3.5', 'pi | 19 | +0.4'), ['codex: n']],
    ['a percentage', table('codex | 1,306 | +3.5', 'pi | 19 | +0.4'), ['codex: off %']],
    ['a row that is gone', table('codex | 1,306 | −3.5'), ['pi: n', 'pi: off %']],
    ['a table that was not measured', '', []],
  ])('hold against what is measured: %s', (_, measured, moved) => {
    const figures = compare(claim, stated, measured)
    expect(figures.filter(({ holds }) => !holds).map(({ name }) => name)).toEqual(moved)
    expect(figures).toHaveLength(measured === '' ? 0 : 4)
  })
})
