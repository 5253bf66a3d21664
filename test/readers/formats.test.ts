/** Holds the sections of docs/formats.md to the readers. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readers } from '../../src/readers/index.ts'
import { sampleSize } from '../../src/readers/vote.ts'
import { fixture, readFixture } from './reading.ts'

const text = readFileSync(new URL('../../docs/formats.md', import.meta.url), 'utf8')
const sections = text
  .slice(text.indexOf('\n## Each format\n'))
  .split('\n### ')
  .slice(1)
  .map((section) => {
    const [name, ...lines] = section.split('\n')
    const points = lines.join('\n').split('\n- ').slice(1)
    return { name, points: points.map((point) => /^\*\*([^*]+)\*\*: (\S[\s\S]*)$/.exec(point)?.slice(1) ?? [point]) }
  })

it('each fixture has a row in fixtures/README.md that says what it shows', () => {
  const list = readFileSync(fixture('README.md'), 'utf8')
  const files = readers.names.flatMap((name) => readdirSync(fixture(name)).map((file) => `${name}/${file}`))
  expect(files.filter((file) => !list.includes(`\n| \`${file}\` | `))).toEqual([])
})

describe('docs/formats.md', () => {
  const headings = readers.names.map((name) => `\`${name}\``)

  it('has a whole section for each reader, in their order', () => {
    expect(sections.map(({ name }) => name)).toEqual(headings)
    const labels = ['Lies in', 'Recognised by', 'Counted', 'Not counted', 'Usage', 'Limits']
    for (const { name, points } of sections)
      expect([name, ...points.map(([label]) => label)]).toEqual([name, ...labels])
  })

  it('leads to each of them from its beginning', () => {
    const [list] = text.split('\n## ')
    expect(readers.names.filter((name) => !list!.includes(`[\`${name}\`](#${name})`))).toEqual([])
  })

  it('can be read in a diff: no line is longer than 160 characters', () => {
    expect(text.split('\n').filter((line) => line.length > 160)).toEqual([])
  })

  it('knows how many records vote', () => expect(text).toContain(`its first ${sampleSize} records`))

  it.each(readers.names)('says rightly whether %s records usage', async (name) => {
    const reads = await Promise.all(readdirSync(fixture(name)).map((file) => readFixture(name, file)))
    const traces = reads.flatMap((read) => read.traces.filter(({ head }) => head.format === name))
    const counted = traces.some((trace) => [...Array(trace.requests).keys()].some((request) => trace.usage(request)))
    const { points } = sections.find((section) => section.name === `\`${name}\``)!
    const [, usage] = points.find(([label]) => label === 'Usage')!
    expect(/^yes\b/.test(usage!)).toBe(counted)
  })
})
