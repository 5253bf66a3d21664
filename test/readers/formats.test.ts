/** Checks the table of formats in docs/formats.md against the readers. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readers } from '../../src/readers/index.ts'
import { sampleSize } from '../../src/readers/vote.ts'
import { fixture, readFixture } from './reading.ts'

const text = readFileSync(new URL('../../docs/formats.md', import.meta.url), 'utf8')
const [head, , ...rows] = text
  .slice(0, text.indexOf('\n## '))
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )

it('each fixture has a row in fixtures/README.md that says what it shows', () => {
  const list = readFileSync(fixture('README.md'), 'utf8')
  const files = readers.names.flatMap((name) => readdirSync(fixture(name)).map((file) => `${name}/${file}`))
  expect(files.filter((file) => !list.includes(`\n| \`${file}\` | `))).toEqual([])
})

describe('docs/formats.md', () => {
  it('has a whole row for each reader, in their order', () => {
    expect(rows.map(([name]) => name)).toEqual(readers.names.map((name) => `\`${name}\``))
    for (const row of rows) expect(row.filter((cell) => cell !== '')).toHaveLength(head!.length)
  })

  it('knows how many records vote', () => expect(text).toContain(`its first ${sampleSize} records`))

  it.each(readers.names)('says rightly whether %s records usage', async (name) => {
    const reads = await Promise.all(readdirSync(fixture(name)).map((file) => readFixture(name, file)))
    const traces = reads.flatMap((read) => read.traces.filter(({ head }) => head.format === name))
    const counted = traces.some((trace) => [...Array(trace.requests).keys()].some((request) => trace.usage(request)))
    const usage = rows.find(([cell]) => cell === `\`${name}\``)![head!.indexOf('usage')]
    expect(/^yes\b/.test(usage!)).toBe(counted)
  })
})
