import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { unwrapped } from '../../src/readers/wrapped.ts'
import { fixture, fixtureText, linesOf, outlines, readRecords, readText } from './reading.ts'

const [file] = readdirSync(fixture('claude-code')).filter((name) => name.endsWith('.jsonl'))

it('a wrapper around each event is read as the events', async () => {
  const text = fixtureText('claude-code', file as string)
  const wrapped = linesOf(text).map((raw) => ({ role: '', content: '', timestamp: '2026-10-13T07:05:00Z', raw }))
  const [plain, outer] = [await readText(text), await readRecords(wrapped, 'auto')]
  expect(outer.report).toEqual(plain.report)
  expect(outer.traces.map((_, index) => outlines(outer, index))).toEqual(
    plain.traces.map((_, index) => outlines(plain, index)),
  )
})

it('a record with keys of its own, or with a raw value that is no event, is read as it is', () => {
  for (const record of [
    { raw: { type: 'user' }, uuid: 'a' },
    { role: 'user', content: 'Is it on?', raw: 'Is it on?' },
    { role: 'user', content: 'Is it on?', raw: { text: 'Is it on?' } },
    [{ raw: { type: 'user' } }],
    null,
  ]) {
    expect(unwrapped(record)).toBe(record)
  }
})
