/** Lines, however the bytes come, held against splitting the whole text. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LineSplitter } from '../../../src/readers/lines/lines.ts'
import { readRecords } from '../../../src/readers/lines/records.ts'

const texts = fc.string({ unit: fc.constantFrom('a', 'é', '\r', '\u2028', '\n', '\n'), maxLength: 60 })
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 })

function* pieces(text: string, sizes: readonly number[]): Generator<Buffer> {
  const bytes = Buffer.from(text)
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const size = sizes[index % sizes.length] as number
    yield bytes.subarray(at, at + size)
    at += size
  }
}

it('a line is what stands between line feeds, and is left out only where it is longer than the limit', () => {
  fc.assert(
    fc.property(texts, sizes, fc.integer({ min: 1, max: 12 }), (text, sizes, limit) => {
      const found: string[] = []
      const sink = {
        line(bytes: Buffer, start: number, end: number, ended: boolean) {
          found.push(`${bytes.toString('utf8', start, end)}${ended ? '\n' : ''}`)
          return true
        },
        tooLong: () => void found.push('too long'),
      }
      const splitter = new LineSplitter(sink, limit)
      for (const chunk of pieces(text, sizes)) expect(splitter.push(chunk)).toBe(chunk.length)
      splitter.end()
      const lines = text.split(/(?<=\n)/).filter((line) => line !== '')
      const isTooLong = (line: string) => Buffer.byteLength(line.replace('\n', '')) > limit
      expect(found).toEqual(lines.map((line) => (isTooLong(line) ? 'too long' : line)))
    }),
  )
})

it('a record has the number of its line, also behind a first line that is torn', async () => {
  const line = fc.constantFrom('{"a":1}', '', '  ', '{"torn":', '{"a":"x', 'words', '[2]', '{"b":{"c":[]}}')
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 8 }), sizes, async (rest, sizes) => {
      const lines = ['{"torn":', '{"a":1}', '{"a":2}', ...rest]
      const found: [number, unknown][] = []
      const sink = { record: (value: unknown, line: number) => void found.push([line, value]), problem: () => {} }
      await readRecords({ name: 'test', chunks: pieces(`${lines.join('\n')}\n`, sizes) }, sink)
      const whole = lines.flatMap((line, at): [number, unknown][] => {
        try {
          return [[at + 1, JSON.parse(line)]]
        } catch {
          return []
        }
      })
      expect(found).toEqual(whole)
    }),
  )
})
