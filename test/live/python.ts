/** Runs the window that `ctxwin emit --for python` prints: one process for all cases, which answers a line with a line. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { CachePrices } from '../../src/app/index.ts'
import { shippedModels } from '../../src/policies/knobs/value/valuing.ts'

export interface PythonCase {
  /** Another window than that of the sources. */
  readonly file?: string
  readonly api: string
  /** What is left out is as it stands in the file. */
  readonly budget?: number
  readonly knobs?: Readonly<Record<string, unknown>>
  /** What stands beside the messages. */
  readonly model?: string
  readonly system?: unknown
  readonly tools?: readonly unknown[]
  /** For a policy that goes by what messages are worth: coefficients by word of `target`, and prices of the cache. */
  readonly weights?: Readonly<Record<string, unknown>>
  readonly cache?: CachePrices
  /** What is refused is said, and fails nothing. */
  readonly odd?: true
  readonly history: readonly unknown[]
  /** How many messages the history had, and when, in seconds since the epoch. */
  readonly requests: readonly { readonly length: number; readonly at: number | null }[]
}

/** Both models that are shipped. */
export const weights = { value: shippedModels.learned, aged: shippedModels.age }

/** Of each request its tokens and its messages; a message that is the history's own object by its place there. */
export type PythonAnswer = readonly (readonly [number, readonly unknown[]])[]

export const source = fileURLToPath(new URL('../../src/live/python/window.py', import.meta.url))
const driver = fileURLToPath(new URL('python.py', import.meta.url))

export const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0

export class Python {
  readonly #process: ChildProcess
  readonly #lines: AsyncIterator<string>

  constructor() {
    this.#process = spawn('python3', [driver, source], { stdio: ['pipe', 'pipe', 'inherit'] })
    const { stdout } = this.#process
    if (!stdout) throw new TypeError('no output')
    this.#lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
  }

  ask(asked: PythonCase): Promise<PythonAnswer> {
    return this.#answer(asked) as Promise<PythonAnswer>
  }

  /** The same of a case in which something is odd: what is refused is said. */
  askOddly(asked: PythonCase): Promise<readonly (PythonAnswer[number] | string)[]> {
    return this.#answer({ ...asked, odd: true }) as ReturnType<Python['askOddly']>
  }

  /** What a call does, and the hashes of the lines and the names in its arguments, sorted. */
  look(name: string, input: unknown): Promise<unknown> {
    return this.#answer({ call: [name, input] })
  }

  async #answer(asked: object): Promise<unknown> {
    this.#process.stdin?.write(`${JSON.stringify(asked)}\n`)
    const answer = JSON.parse((await this.#lines.next()).value)
    if (typeof answer === 'string') throw new Error(answer)
    return answer
  }

  end(): void {
    this.#process.stdin?.end()
  }
}
