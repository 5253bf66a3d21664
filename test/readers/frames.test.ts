import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/base/json.ts'
import { setOf } from '../../src/base/words.ts'
import { documentReader, kind, kindsBy, readItems, recordReader } from '../../src/readers/frames.ts'
import type { Finding, Reader, ReaderContext } from '../../src/readers/reader.ts'
import { keys } from '../../src/readers/wire/shape.ts'

const about = { name: 'desk', summary: '', source: '' }

interface Desk {
  readonly head: JsonObject
  readonly said: string[]
}

/** Reads the records; what became of each, and what the sessions came to. */
function read(reader: Reader, records: readonly unknown[]) {
  const findings: Finding[] = []
  const context = { finding: (finding: Finding) => findings.push(finding) } as unknown as ReaderContext
  const reading = reader.read(context)
  const outcomes = records.map((record, index) => reading.record(record, index + 1))
  reading.end()
  return { outcomes, findings }
}

const ended: string[] = []

const desk = recordReader<Desk>({
  ...about,
  recognise: ({ type }) => type === 'said',
  time: 'at',
  begin: (_, head) => ({ head, said: [] }),
  begins: ({ type }) => type === 'head',
  record: kindsBy<Desk>(
    'type',
    {
      head: kind(null, () => {}),
      said: kind({ text: 'string' }, ({ text }, { line, time }, { said }) => {
        if (text === '') return 'no-context'
        said.push(`${line} ${time} ${text}`)
      }),
    },
    setOf('ping'),
  ),
  end: ({ head, said }) => ended.push(`${head.id}: ${said.join(', ')}`),
})

it('finds the kind of each record, and says what became of it', () => {
  const records = [{ type: 'said', text: 'lamp' }, { type: 'said', text: '' }, { type: 'ping' }, { type: 'other' }]
  expect(read(desk, records).outcomes).toEqual([
    'used',
    'no-context',
    'no-context',
    { code: 'unknown-record', kind: 'other' },
  ])
})

it('takes neither a record that is no object nor one whose kind is no text', () => {
  const bad = { code: 'bad-record' }
  expect(read(desk, [null, [], 'said', {}, { type: 1 }, { type: 'toString' }]).outcomes).toEqual([
    ...[bad, bad, bad, bad, bad],
    { code: 'unknown-record', kind: 'toString' },
  ])
})

it('asks of each kind what such a record must hold', () => {
  const shape = desk.shape ?? (() => null)
  expect([{ type: 'said', text: 1 }, { type: 'said', text: 'lamp' }, { type: 'head' }, {}].map(shape)).toEqual([
    'text',
    null,
    null,
    'type',
  ])
})

it('recognises objects alone', () => {
  expect([{ type: 'said' }, { type: 'head' }, null, ['said'], 'said'].map(desk.recognise)).toEqual([1, 0, 0, 0, 0])
})

it('ends a session where another begins, and at the end', () => {
  ended.length = 0
  const said = (text: string) => ({ type: 'said', text, at: 1_700_000_000 })
  read(desk, [said('lamp'), { type: 'head', id: 1 }, said('desk'), said('chair'), { type: 'head', id: 2 }])
  expect(ended).toEqual(['undefined: 1 1700000000000 lamp', '1: 3 1700000000000 desk, 4 1700000000000 chair', '2: '])
})

it('reads nothing of a session that is read from elsewhere', () => {
  const elsewhere = recordReader({
    ...about,
    recognise: () => true,
    isElsewhere: () => true,
    begin: () => expect.unreachable(),
    record: () => 'used',
  })
  expect(read(elsewhere, [{}, null]).outcomes).toEqual(['no-context', 'no-context'])
})

it('numbers the items of a document, and reports what is wrong with one', () => {
  const list = documentReader({
    ...about,
    recognise: () => true,
    record: ({ items }, _, context) =>
      readItems(context, items as unknown[], keys({ text: 'string' }), ({ skipped }) =>
        skipped ? { code: 'no-message' } : null,
      ),
  })
  const items = [{ text: 'lamp' }, { text: 1 }, 'desk', { text: 'chair', skipped: true }]
  expect(read(list, [{ items }])).toEqual({
    outcomes: ['used'],
    findings: [
      { code: 'bad-shape', key: 'text', line: 2 },
      { code: 'bad-record', line: 3 },
      { code: 'no-message', line: 4 },
    ],
  })
})
