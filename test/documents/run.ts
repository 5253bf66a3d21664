/** Small conversations, through the command line: what somebody sees who checks a sentence of a document by hand. */
import { type Ran, runCli } from '../cli/run.ts'

/** A message in the form of Chat Completions. */
export type Wire = Readonly<Record<string, unknown>>

export const user = (content: string): Wire => ({ role: 'user', content })
export const assistant = (content: string): Wire => ({ role: 'assistant', content })
export const system = (content: string): Wire => ({ role: 'system', content })

let calls = 0

/** A response that calls a tool, and the result. */
export function step(name: string, input: object, result: string): Wire[] {
  const id = `call_${calls++}`
  return [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(input) } }],
    },
    { role: 'tool', tool_call_id: id, content: result },
  ]
}

export const linesOf = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

/** Runs `ctxwin` with `rows` as standard input. */
export function ran(argv: readonly string[], rows: readonly object[]): Promise<Ran> {
  return runCli([...argv, '-'], { stdin: linesOf(rows), env: { CTXWIN_NO_CONFIG: '1' } })
}

/** What `ctxwin` prints of `rows` as JSON. */
export async function told(argv: readonly string[], rows: readonly object[]): Promise<unknown> {
  const { stdout, stderr } = await ran([...argv, '--output', 'json'], rows)
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

/** The body of request `at` (from 1), as `window` prints it. */
export async function bodyAt(at: number, argv: readonly string[], rows: readonly object[]) {
  const { stdout, stderr } = await ran(['history', '--request', '--at', String(at), ...argv], rows)
  if (stdout === '') throw new Error(stderr)
  return { text: stdout, body: JSON.parse(stdout) as { messages: Wire[]; tools?: unknown[] } }
}

/** Of `simulate --by request`: one run of one transcript. */
export interface Run {
  readonly budget: number
  readonly sentTokens: number
  readonly peakTokens: number
  readonly preambleTokens: number
  readonly cuts: readonly { request: number; evictedExchanges: readonly number[]; tokensAfter: number }[]
  readonly rows: readonly { request: number; sentTokens: number; believedTokens: number | null }[]
}

export async function simulated(argv: readonly string[], rows: readonly object[]): Promise<Run> {
  const { runs } = (await told(['simulate', '--by', 'request', ...argv], rows)) as { runs: Run[] }
  return runs[0] as Run
}

/** A conversation of `count` exchanges, each a question and an answer of `size` bytes. */
export function chat(count: number, size = 400): Wire[] {
  return Array.from({ length: count }, (_, index) => [
    user(`question ${index} `.padEnd(size, 'q')),
    assistant(`answer ${index} `.padEnd(size, 'a')),
  ]).flat()
}
