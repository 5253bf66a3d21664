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
