/**
 * Threads that measure files, the largest first: what each posts are the lines that a shard would write. A thread that
 * breaks, even for want of memory, fails the file it was at, and another one takes its place.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type MessagePort, Worker } from 'node:worker_threads'
import type { TellingSessions } from '../../app/files/other-sessions.ts'
import { type FileEnd, failureOf, type PartTranscript, ThreadEnded, ThreadOutOfMemory } from '../../app/files/parts.ts'
import type { Earlier } from '../../app/files/responses.ts'
import { readExact } from '../../base/exact-json.ts'
import { Queue } from '../../base/queue.ts'
import type { Call } from './call.ts'
import type { Configuration } from './config.ts'
import type { FoundAs } from './open.ts'

/** What a thread is started with: the command of the main thread. */
export interface WorkerStart extends Pick<Call, 'command' | 'inputs' | 'flags'> {
  readonly configuration: Configuration
  readonly argv: readonly string[]
  readonly cwd: string
  readonly now: number
  /** Whether there is room for WebAssembly in each thread. */
  readonly wasm: boolean
}

/** What it is sent for each file. */
export interface FileTask extends FoundAs {
  /** The responses that are known to count in other files. */
  readonly earlier: Earlier
}

const program = fileURLToPath(new URL('../../worker.cjs', import.meta.url))

/** Whether there are threads to be had: not where the sources themselves are run, as tests do. */
export const hasWorkers = (): boolean => existsSync(program)

/** The lines of one file, as they come. */
class Job {
  readonly task: FileTask
  isStarted = false
  readonly #lines = new Queue<string>()
  /** Told when its turn comes, and how much there is more or less of it to hold. */
  readonly #told: { turn(job: Job): void; held(length: number): void }
  #ended = false
  #wake = (): void => {}

  constructor(task: FileTask, told: { turn(job: Job): void; held(length: number): void }) {
    this.task = task
    this.#told = told
  }

  add(line: string, isEnd: boolean): void {
    this.#lines.push(line)
    this.#told.held(line.length)
    this.#ended = isEnd
    this.#wake()
  }

  async *lines(): AsyncGenerator<PartTranscript | FileEnd> {
    this.#told.turn(this)
    for (;;) {
      for (let line = this.#lines.shift(); line !== undefined; line = this.#lines.shift()) {
        this.#told.held(-line.length)
        yield readExact(line) as PartTranscript | FileEnd
      }
      if (this.#ended) return
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

export class Pool {
  readonly #started: WorkerStart
  readonly #most: number
  readonly #waiting = new Queue<Job>()
  /** Before all that wait. */
  readonly #first = new Queue<Job>()
  readonly #busy = new Map<Worker, Job>()
  readonly #idle: Worker[] = []
  #closed = false
  /** In characters: what is measured and waits for its turn. */
  #held = 0
  /** Told of each file that is done. */
  readonly #done: (name: string) => void
  /** What a thread asks for. */
  readonly #others: () => Promise<TellingSessions>
  /** In characters: while more wait for their turn, no file is begun but the one whose turn it is. */
  readonly #mostHeld: number

  constructor(
    threads: number,
    started: WorkerStart,
    done: (name: string) => void,
    others: () => Promise<TellingSessions>,
    mostHeld = 1 << 26,
  ) {
    this.#most = threads
    this.#started = started
    this.#done = done
    this.#others = others
    this.#mostHeld = mostHeld
  }

  /** Measures a file when a thread is free. @param first before all that wait */
  measure(task: FileTask, first = false): AsyncGenerator<PartTranscript | FileEnd> {
    const job = new Job(task, {
      turn: (one) => this.#turn(one),
      held: (length) => {
        this.#held += length
        if (length < 0) this.#assign()
      },
    })
    const queue = first ? this.#first : this.#waiting
    queue.push(job)
    this.#assign()
    return job.lines()
  }

  /** The lines of a file are wanted now: where too many others wait already, it goes before these. */
  #turn(job: Job): void {
    if (job.isStarted) return
    this.#first.push(job)
    this.#assign()
  }

  /** Ends the threads, whatever they are at. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#busy.keys(), ...this.#idle].map((worker) => worker.terminate()))
  }

  #assign(): void {
    while (!this.#closed && this.#busy.size < this.#most) {
      const job = this.#next()
      if (!job) return
      job.isStarted = true
      const worker = this.#idle.pop() ?? this.#start()
      this.#busy.set(worker, job)
      worker.postMessage(job.task)
    }
  }

  #next(): Job | undefined {
    for (const queue of [this.#first, this.#waiting]) {
      // The order is that of the files, and threads take the largest first: what they are ahead by has to be held.
      if (queue === this.#waiting && this.#held > this.#mostHeld) return undefined
      for (let job = queue.shift(); job; job = queue.shift()) if (!job.isStarted) return job
    }
    return undefined
  }

  #start(): Worker {
    const worker = new Worker(program, { workerData: this.#started })
    worker.on('message', async ({ line, isEnd, asks }: { line: string; isEnd: boolean; asks?: MessagePort }) => {
      if (asks) return asks.postMessage(await this.#others())
      const job = this.#busy.get(worker)
      job?.add(line, isEnd)
      if (!isEnd || !job) return
      this.#busy.delete(worker)
      this.#idle.push(worker)
      this.#done(job.task.name)
      this.#assign()
    })
    const broken = (error: Error): void => {
      const job = this.#busy.get(worker)
      this.#busy.delete(worker)
      if (this.#idle.includes(worker)) this.#idle.splice(this.#idle.indexOf(worker), 1)
      job?.add(JSON.stringify(failureOf(error)), true)
      this.#assign()
    }
    worker.on('error', (error: NodeJS.ErrnoException) =>
      broken(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new ThreadOutOfMemory() : error),
    )
    worker.on('exit', () => broken(new ThreadEnded()))
    return worker
  }
}
