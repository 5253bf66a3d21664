/** Helpers for the tests of readers: they read files, text and records, and rebuild each request in two ways. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import { firstCell, type Plan, sizersFor } from '../../src/app/plan.ts'
import { windowRequests } from '../../src/app/window.ts'
import bytes from '../../src/estimators/bytes.ts'
import { findExchanges } from '../../src/model/exchanges.ts'
import type { Message } from '../../src/model/message.ts'
import type { Trace } from '../../src/model/trace.ts'
import keepAll from '../../src/policies/keep-all.ts'
import { openFile, type Source } from '../../src/readers/lines/source.ts'
import { type FileReport, readTranscripts } from '../../src/readers/read.ts'
import { simulateOne } from '../../src/simulator/simulate.ts'
import { recordedBody } from './recorded-bodies.ts'

const plan: Plan = {
  policies: [{ plugin: keepAll, values: {} }],
  estimators: [{ plugin: bytes, values: { bytesPerToken: 4 } }],
  budgets: [0],
  preamble: 'auto',
  model: null,
  provider: null,
  native: false,
}

export interface Read {
  readonly traces: readonly Trace[]
  readonly report: FileReport
  /** `code@line` of every problem. */
  readonly findings: readonly string[]
}

export const fixture = (...path: string[]): string => join(import.meta.dirname, '../../fixtures', ...path)

export const fixtureText = (...path: string[]): string => readFileSync(fixture(...path), 'utf8')

export async function readSource(source: Source, format = 'auto', branches = false): Promise<Read> {
  const traces: Trace[] = []
  const options = { format, branches, sizersFor: sizersFor(plan), keepMessages: true }
  const report = await readTranscripts(source, options, (trace) => traces.push(trace))
  return { traces, report, findings: report.problems.map(({ code, line }) => `${code}@${line}`) }
}

export const readFixture = (...path: string[]): Promise<Read> => readSource(openFile(fixture(...path)))

export const readText = (text: string, format = 'auto'): Promise<Read> =>
  readSource({ name: 'text', chunks: [Buffer.from(text)] }, format)

export const readRecords = (records: readonly unknown[], format: string): Promise<Read> =>
  readText(lines(records), format)

/** How many problems have this code, counting each one that is reported together with others. */
export const countOf = ({ problems }: FileReport, code: string): number =>
  problems.reduce((sum, problem) => (problem.code === code ? sum + (problem.count ?? 1) : sum), 0)

/** The messages of the only transcript, or of transcript number `index`. */
export function messagesOf({ traces }: Pick<Read, 'traces'>, index = 0): readonly Message[] {
  const messages = traces[index]?.messages
  if (!messages) throw new Error(`no transcript ${index} was read with its messages`)
  return messages
}

/** A message as one line: role, marks and first words. `+` continues, `!` failed, `?` starts an exchange. */
export function outline(message: Message): string {
  const marks = [
    message.continues ? '+' : '',
    message.isError ? '!' : '',
    message.role === 'user' && !message.origin ? '?' : '',
  ]
  const blocks = message.blocks.map((block) => {
    if (block.type === 'text') return block.text.split('\n', 1)[0]?.slice(0, 32)
    if (block.type === 'thinking') return `(${block.text.slice(0, 32)})`
    if (block.type === 'call') return `${block.name}#${block.id}`
    return `<${block.type} ${block.bytes}>`
  })
  const who = message.origin ?? (message.role === 'tool' ? `tool#${message.callId}` : message.role)
  return `${message.line} ${marks.join('')}${who}: ${blocks.join(' | ')}`
}

export const outlines = (read: Read, index = 0): string[] => messagesOf(read, index).map(outline)

/** The line and state of each exchange. */
export const exchangesOf = ({ traces }: Read, index = 0): string[] =>
  findExchanges(traces[index]!).map(({ from, state }) => `${traces[index]!.line(from)} ${state}`)

/** The body of each request as it was recorded, built from the canonical messages. */
export function bodiesOf(trace: Trace): Readonly<Record<string, unknown>>[] {
  const messages = messagesOf({ traces: [trace] })
  return Array.from({ length: trace.requests }, (_, request) =>
    recordedBody(trace.head.provider, trace.preamble, messages.slice(0, trace.requestAt(request))),
  )
}

/** The tokens of each request, as summed by the simulator, are those of the JSON text of a whole request. */
export function expectTokens(trace: Trace): void {
  const tokens: number[] = []
  simulateOne(firstCell(trace, plan), [{ request: ({ fullTokens }) => void tokens.push(fullTokens) }])
  const bodies = [...windowRequests(trace, plan, null)].slice(0, trace.requests)
  expect(tokens).toEqual(bodies.map(({ body }) => Math.ceil(Buffer.byteLength(JSON.stringify(body)) / 4)))
}

/** Parses a file of JSON lines into records, and the reverse. */
export const linesOf = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
export const lines = (records: readonly unknown[]) => records.map((record) => JSON.stringify(record)).join('\n')

/** Reads the text and expects these recorded bodies per conversation, and requests counted as they would be sent. */
export async function expectBodies(text: string, format: string, wanted: readonly unknown[][]): Promise<void> {
  const { traces } = await readText(text, format)
  const read = traces.map(bodiesOf)
  // Matchers are slow on the bodies of a long conversation: they show what differs.
  if (!isDeepStrictEqual(read, wanted)) expect(read).toEqual(wanted)
  for (const trace of traces) expectTokens(trace)
}
