/** Reads text as a file would be read, and rebuilds each request of what comes out in two ways. */
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import bytes from '../../src/estimators/bytes.ts'
import type { Message } from '../../src/model/message.ts'
import type { Trace } from '../../src/model/trace.ts'
import keepAll from '../../src/policies/keep-all.ts'
import { providers } from '../../src/providers/index.ts'
import { requestBody } from '../../src/providers/provider.ts'
import { type FileReport, readTranscripts } from '../../src/readers/read.ts'
import { type Plan, replayOne, sizersFor } from '../../src/simulator/simulate.ts'

const plan: Plan = {
  policies: [{ plug: keepAll, values: {} }],
  estimators: [{ plug: bytes, values: { bytesPerToken: 4 } }],
  budgets: [0],
  preamble: 'auto',
  model: null,
  provider: null,
  native: false,
}

export interface Read {
  readonly report: FileReport
  readonly traces: Trace[]
}

export async function readText(text: string, format = 'auto'): Promise<Read> {
  const traces: Trace[] = []
  const source = { name: 'test', chunks: [Buffer.from(text)] }
  const options = { format, sizersFor: sizersFor(plan), keepMessages: true }
  const report = await readTranscripts(source, options, (trace) => traces.push(trace))
  return { report, traces }
}

export function fixture(name: string): string {
  return readFileSync(new URL(`../../fixtures/${name}`, import.meta.url), 'utf8')
}

export function messagesOf(trace: Trace): Message[] {
  if (!trace.messages) throw new Error('the trace was read without its messages')
  return trace.messages
}

/** Each request's body, put together from the canonical messages. */
export function bodiesOf(trace: Trace): Record<string, unknown>[] {
  const provider = providers[trace.head.provider]
  const placed = messagesOf(trace).map((message) => ({ message, joined: message.continues === true }))
  return Array.from({ length: trace.requests }, (_, request) =>
    requestBody(provider, trace.preamble, placed.slice(0, trace.requestAt(request))),
  )
}

/** Each request's tokens, as the simulator adds them up. */
export function tokensOf(trace: Trace): number[] {
  const tokens: number[] = []
  replayOne(trace, plan, [{ request: ({ fullTokens }) => void tokens.push(fullTokens) }])
  return tokens
}

/** The law of the `bytes` estimator, from the JSON text of a whole body. */
export function countFromScratch(body: unknown): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify(body)) / 4)
}

/** The records of a file of JSON lines, and such a file of records. */
export const linesOf = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
export const lines = (records: readonly unknown[]) => records.map((record) => JSON.stringify(record)).join('\n')

/** Reads the text and expects, for each conversation, these bodies of its requests, and their tokens counted from scratch. */
export async function expectBodies(text: string, format: string, wanted: readonly unknown[][]): Promise<void> {
  const { traces } = await readText(text, format)
  expect(traces.map(bodiesOf)).toEqual(wanted)
  expect(traces.map(tokensOf)).toEqual(wanted.map((bodies) => bodies.map(countFromScratch)))
}
