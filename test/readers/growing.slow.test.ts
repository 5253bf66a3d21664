/** Reads files that grow: wherever a reading was stopped, going on gives what reading it whole gives. */
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { digestFor, type Plan, sizersFor } from '../../src/app/plan.ts'
import { choose } from '../../src/base/chosen.ts'
import auto from '../../src/estimators/auto.ts'
import type { PlainTrace } from '../../src/model/trace.ts'
import keepAll from '../../src/policies/keep-all.ts'
import { type Checkpoint, isContinued, readGrowing } from '../../src/readers/growing.ts'
import { openFile } from '../../src/readers/lines/source.ts'
import { type FileReport, readTranscripts } from '../../src/readers/read.ts'
import type { Reader } from '../../src/readers/reader.ts'
import { sampleSize } from '../../src/readers/vote.ts'
import { fixture } from './reading.ts'

const plan: Plan = {
  policies: [choose(keepAll)],
  estimators: [choose(auto)],
  budgets: [0],
  references: true,
}
const options = {
  format: 'auto' as string | Reader,
  sizersFor: sizersFor(plan),
  keepMessages: false,
  digestFor: digestFor(plan).of,
}

const directory = mkdtempSync(join(tmpdir(), 'ctxwin-growing-'))
afterAll(() => rmSync(directory, { recursive: true, maxRetries: 10, retryDelay: 500 }))
const path = join(directory, 'session.jsonl')

/** As a new file: to truncate one that was just written takes four times as long, and much longer on a busy disk. */
function write(bytes: string | Uint8Array): void {
  rmSync(path, { force: true })
  writeFileSync(path, bytes)
}

interface Read {
  readonly traces: readonly PlainTrace[]
  readonly report: FileReport
}

async function whole(): Promise<Read> {
  const traces: PlainTrace[] = []
  const report = await readTranscripts(openFile(path), options, (trace) => traces.push(trace.plain()))
  return { traces, report }
}

/** What is read from the checkpoint on, and the next checkpoint. */
async function on(
  from: Checkpoint | null,
  torn: 'left' | 'read' = 'read',
): Promise<Read & { readonly checkpoint: Checkpoint | null }> {
  const traces: PlainTrace[] = []
  const source = { ...openFile(path), path }
  const grown = await readGrowing(source, { ...options, torn }, from, (trace) => traces.push(trace.plain()))
  if (!grown) throw new Error('the file cannot be read as it grows')
  return { traces, report: grown.report, checkpoint: grown.checkpoint }
}

/** Matchers are slow on whole transcripts: they show what differs. */
function expectSame({ traces, report }: Read, whole: Read): void {
  if (!isDeepStrictEqual({ traces, report }, whole)) expect({ traces, report }).toEqual(whole)
}

/** Four places behind `start`: half of them behind a line, half of them inside one. */
function cutsOf(text: Buffer, start: number): number[] {
  const feeds = [...text.keys()].filter((at) => at >= start - 1 && text[at] === 10)
  const each = Math.ceil(feeds.length / 2)
  const cuts = feeds.filter((_, nth) => nth % each === 0).flatMap((at) => [at + 1, at + 2 + ((at * 7) % 400)])
  return [...new Set(cuts)].filter((at) => at < text.length).sort((a, b) => a - b)
}

/** Records that nobody sees: with so many in front, the format is known before a fixture begins. */
const heads = {
  'claude-code': { type: 'mode', sessionId: 'none' },
  codex: { type: 'world_state', payload: {} },
}

describe.each(['claude-code', 'codex'] as const)('%s', (format) => {
  const files = readdirSync(fixture(format)).filter((name) => name.endsWith('.jsonl'))
  const head = Buffer.from(`${JSON.stringify(heads[format])}\n`.repeat(sampleSize))
  it.each(files)('%s: stopped anywhere, it comes to what it comes to whole', async (name) => {
    const text = Buffer.concat([head, readFileSync(fixture(format, name))])
    write(text)
    const all = await whole()
    for (const at of cutsOf(text, head.length)) {
      write(text.subarray(0, at))
      const { checkpoint } = await on(null)
      appendFileSync(path, text.subarray(at))
      expect(checkpoint).not.toBe(null)
      expectSame(await on(checkpoint), all)
    }
  })

  it.each(files)('%s: stopped again and again, each checkpoint has what the file had', async (name) => {
    const text = Buffer.concat([head, readFileSync(fixture(format, name))])
    write(head)
    let { checkpoint } = await on(null)
    let written = head.length
    for (const at of [...cutsOf(text, head.length), text.length]) {
      appendFileSync(path, text.subarray(written, at))
      written = at
      const grown = await on(checkpoint)
      expectSame(grown, await whole())
      expect(grown.checkpoint !== null && isContinued(path, grown.checkpoint)).toBe(true)
      checkpoint = grown.checkpoint
    }
  })
})

it('tells a file that was rewritten or cut anywhere before the checkpoint from one that was appended to', async () => {
  const text = readFileSync(fixture('claude-code', 'refactor.jsonl'))
  write(text)
  const { checkpoint } = await on(null)
  if (checkpoint === null) throw new Error('it has no checkpoint')
  appendFileSync(path, '{"torn')
  expect(isContinued(path, checkpoint)).toBe(true)
  for (const at of [0, text.length >> 1, text.length - 1]) {
    const other = Buffer.from(text)
    other.writeUInt8((other[at] as number) ^ 1, at)
    write(Buffer.concat([other, text]))
    expect(isContinued(path, checkpoint)).toBe(false)
  }
  write(text.subarray(0, -1))
  expect(isContinued(path, checkpoint)).toBe(false)
})

describe('a line that is still being written', () => {
  const text = readFileSync(fixture('claude-code', 'refactor.jsonl'))

  it('is left until its line feed is there', async () => {
    const end = text.lastIndexOf(10, text.length - 2) + 1
    write(text.subarray(0, end))
    const before = await on(null)
    write(text.subarray(0, end + 40))
    const { traces, report, checkpoint } = await on(before.checkpoint, 'left')
    expect({ traces, report }).toEqual({ traces: before.traces, report: before.report })
    expect(checkpoint?.bytes).toBe(end)
    expect((await on(before.checkpoint)).report.problems.map(({ code }) => code)).toContain('torn-line')
  })
})

it('reads nothing that stood before the checkpoint', async () => {
  const text = readFileSync(fixture('claude-code', 'refactor.jsonl'))
  const at = text.lastIndexOf(10, text.length - 2) + 1
  write(text.subarray(0, at))
  const { checkpoint } = await on(null)
  write(Buffer.concat([Buffer.alloc(at, ' '), text.subarray(at)]))
  const grown = await readGrowing({ ...openFile(path), path }, { ...options, torn: 'read' }, checkpoint, () => {})
  expect(grown).toMatchObject({ bytes: text.length - at, report: { damagedLines: 0, transcripts: 1 } })
})

it.each([
  ['one document', '[{"role":"user","content":"hi"}]'],
  ['a log of text', 'hello\n'],
  ['nothing', ''],
])('refuses %s, which nobody appends records to', async (_, text) => {
  write(text)
  expect(await readGrowing({ ...openFile(path), path }, { ...options, torn: 'left' }, null, () => {})).toBe(null)
})

it('goes on from no checkpoint where a format has to see the end first', async () => {
  write(readFileSync(fixture('pi', 'tree.jsonl')))
  expect((await on(null)).checkpoint).toBe(null)
})
