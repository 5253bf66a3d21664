/** A user's repository in a temporary folder, removed after the test. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { type Ran, runCli } from '../cli/run.ts'

export interface Repository {
  /** Its folder in the current test. */
  readonly cwd: string
  write(name: string, text: string): void
  read(name: string): string
  remove(name: string): void
  ctxwin(...words: string[]): Promise<Ran>
  /** Environment variables. They set the estimator, so that the tests do not depend on its default. */
  env: Record<string, string>
}

/** Creates a new repository for each test of the file. */
export function useRepository(): Repository {
  let cwd = ''
  const repository: Repository = {
    get cwd() {
      return cwd
    },
    env: {},
    write(name, text) {
      mkdirSync(dirname(join(cwd, name)), { recursive: true })
      writeFileSync(join(cwd, name), text)
    },
    read: (name) => readFileSync(join(cwd, name), 'utf8'),
    remove: (name) => rmSync(join(cwd, name)),
    ctxwin: (...words) => runCli(words, { cwd, env: repository.env }),
  }
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'ctxwin-check-'))
    repository.env = { CTXWIN_ESTIMATOR: 'bytes' }
  })
  afterEach(() => rmSync(cwd, { recursive: true }))
  return repository
}

/** A conversation with that many exchanges of about 60 tokens, one message per line. */
export function conversation(exchanges: number): string {
  return Array.from({ length: exchanges }, (_, index) => [
    { role: 'user', content: `question ${index} ${'why '.repeat(50)}` },
    { role: 'assistant', content: `answer ${index}` },
  ])
    .flat()
    .map((message) => `${JSON.stringify(message)}\n`)
    .join('')
}

/**
 * A session of opencode with recorded usage: each request counts 2,000 tokens that the file does not hold, and a token for four
 * characters of what was said and read before.
 */
export function billedSession(exchanges: number, id = 'ses_1'): string {
  let input = 2000
  const messages = Array.from({ length: exchanges }, (_, index) => {
    const [question, output] = [`question ${index}`, `line ${index} of the file. `.repeat(60)]
    const call = { status: 'completed', input: { filePath: `notes-${index}.md` }, output, title: '', metadata: {} }
    const used = (): object => ({ input: Math.round(input), output: 10, reasoning: 0, cache: { read: 0, write: 0 } })
    input += question.length / 4
    const first = used()
    input += (output.length + 80) / 4
    const answer = `It says ${index}.`
    const second = used()
    input += answer.length / 4
    const info = { modelID: 'gpt-5', providerID: 'openai', time: { created: 1_777_917_100_000 + index } }
    return [
      { info: { id: `msg_${index}a`, role: 'user', time: info.time }, parts: [{ type: 'text', text: question }] },
      {
        info: { id: `msg_${index}b`, role: 'assistant', ...info, tokens: first },
        parts: [{ type: 'tool', tool: 'read', callID: `call_${index}`, state: call }],
      },
      {
        info: { id: `msg_${index}c`, role: 'assistant', ...info, tokens: second },
        parts: [{ type: 'text', text: answer }],
      },
    ]
  }).flat()
  return JSON.stringify({ info: { id, directory: '/notes', time: { created: 1_777_917_100_000 } }, messages })
}
