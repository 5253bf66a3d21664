/** What the tests of readers share: files, records and bytes read to the end, with their messages kept. */
import { join } from 'node:path'
import { findExchanges } from '../../src/model/exchanges.ts'
import type { Message } from '../../src/model/message.ts'
import type { Trace } from '../../src/model/trace.ts'
import { openFile, type Source } from '../../src/readers/lines/source.ts'
import { type FileReport, readTranscripts } from '../../src/readers/read.ts'

export interface Read {
  readonly traces: readonly Trace[]
  readonly report: FileReport
  /** `code@line` of everything that was said about lines. */
  readonly findings: readonly string[]
}

export const fixture = (...path: string[]): string => join(import.meta.dirname, '../../fixtures', ...path)

export async function readSource(source: Source, format = 'auto'): Promise<Read> {
  const traces: Trace[] = []
  const options = { format, sizersFor: () => [], keepMessages: true }
  const report = await readTranscripts(source, options, (trace) => traces.push(trace))
  return { traces, report, findings: report.problems.map(({ code, line }) => `${code}@${line}`) }
}

export const readFixture = (...path: string[]): Promise<Read> => readSource(openFile(fixture(...path)))

export const readRecords = (records: readonly unknown[], format: string): Promise<Read> =>
  readSource(
    { name: 'records', chunks: [Buffer.from(records.map((record) => JSON.stringify(record)).join('\n'))] },
    format,
  )

/** How many of its problems have this code, those that are told together counted each. */
export const countOf = ({ problems }: FileReport, code: string): number =>
  problems.reduce((sum, problem) => (problem.code === code ? sum + (problem.count ?? 1) : sum), 0)

/** The messages of the only transcript, or of transcript `index`. */
export function messagesOf({ traces }: Read, index = 0): readonly Message[] {
  return traces[index]?.messages ?? []
}

/** A message in one line: role, what of it, and its first words. `+` continues, `!` failed, `?` starts an exchange. */
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

/** Of each exchange, its prompt's line and its state. */
export const exchangesOf = ({ traces }: Read, index = 0): string[] =>
  findExchanges(traces[index]!).map(({ from, state }) => `${traces[index]!.line(from)} ${state}`)
