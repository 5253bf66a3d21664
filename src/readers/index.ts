/** The readers there are, and the way from a file to its transcripts. */
import { CtxwinError } from '../errors.ts'
import type { Trace } from '../model/trace.ts'
import { Registry } from '../registry.ts'
import anthropicMessages from './anthropic-messages.ts'
import claudeCode from './claude-code.ts'
import codex from './codex.ts'
import { type LineProblem, problems as lineProblems } from './lines/problems.ts'
import { readRecords } from './lines/records.ts'
import type { Source } from './lines/source.ts'
import openaiChat from './openai-chat.ts'
import { type Finding, findings, type Reader, type Reading } from './reader.ts'
import { sampleSize, voteFormat } from './vote.ts'
import { type MeasuresFor, TraceWriter } from './writer.ts'

export const readers = new Registry<Reader>('format', [claudeCode, codex, openaiChat, anthropicMessages])

export interface ReadOptions {
  /** A reader's name, or `auto`: voted by the first records. */
  readonly format: string
  readonly measuresFor: MeasuresFor
  /** Keep the text of the messages in the traces. */
  readonly keepMessages: boolean
}

export interface FileReport {
  readonly format: string
  readonly transcripts: number
  /** Lines that were lost: skipped, or mended with something missing. */
  readonly damagedLines: number
  readonly problems: readonly (LineProblem | Finding)[]
}

/**
 * Reads one file and hands over each transcript as soon as it is complete.
 * @throws CtxwinError when no reader knows the format, or `format` names none
 */
export async function readTranscripts(
  source: Source,
  options: ReadOptions,
  done: (trace: Trace) => void,
): Promise<FileReport> {
  const problems: (LineProblem | Finding)[] = []
  let damagedLines = 0
  let transcripts = 0
  let reader = options.format === 'auto' ? null : readers.get(options.format)
  let reading: Reading | null = null
  const open = new Set<TraceWriter>()
  let waiting: { value: unknown; line: number }[] = []

  const begin = (): void => {
    if (reading) return
    const only = waiting.length === 1 ? waiting[0]?.value : undefined
    const elements = Array.isArray(only)
    if (elements) waiting = elementsOf(only)
    reader ??= voteFormat(
      readers.all,
      waiting.slice(0, sampleSize).map((record) => record.value),
    )
    if (!reader) throw new CtxwinError('unknown-format', source.name, readers.names.join(', '))
    const { name: format } = reader
    reading = reader.read({
      file: source.name,
      elements,
      open: ({ conversation, provider }) => {
        const head = {
          file: source.name,
          format,
          conversation,
          provider,
          model: null,
          cwd: null,
          parent: null,
          forkMessage: null,
        }
        const writer = new TraceWriter(head, options.measuresFor, options.keepMessages, (trace) => {
          open.delete(writer)
          // A transcript without a message is no transcript: a header line, a session that was never used.
          if (trace.length === 0) return
          transcripts++
          done(trace)
        })
        open.add(writer)
        return writer
      },
      finding: (finding, damaged) => {
        problems.push(finding)
        if (damaged) damagedLines++
      },
    })
    for (const { value, line } of waiting) reading.record(value, line)
    waiting = []
  }

  await readRecords(source, {
    record(value, line) {
      if (reading) return reading.record(value, line)
      waiting.push({ value, line })
      if (waiting.length >= sampleSize) begin()
    },
    problem(problem) {
      problems.push(problem)
      if (lineProblems[problem.code].lost) damagedLines++
    },
  })
  if (!reading && waiting.length === 0) return { format: options.format, transcripts: 0, damagedLines, problems }
  begin()
  ;(reading as Reading | null)?.end()
  for (const writer of open) writer.close()
  return { format: (reader as Reader | null)?.name ?? options.format, transcripts, damagedLines, problems }
}

/** What is wrong with a line, in words. */
export function wordsOf(problem: LineProblem | Finding): string {
  if (problem.code in findings) return findings[problem.code as Finding['code']]
  const { code, detail } = problem as LineProblem
  return lineProblems[code].words + (detail === undefined ? '' : ` (${detail})`)
}

/** The elements of a document that is one array, as records of their own. */
function elementsOf(value: readonly unknown[]): { value: unknown; line: number }[] {
  return value.map((element, index) => ({ value: element, line: index + 1 }))
}
