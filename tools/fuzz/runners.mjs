/** The parent's side of runner.mjs: keeps one process, and restarts it when it hangs or dies. */
import { fork } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** CPU seconds after which a run counts as endless. (judge.mjs finds slow ones.) */
const patience = 20
/** Seconds by the clock, for systems that do not tell the CPU time of another process. */
const patienceByTheClock = 120

export class Runner {
  #folders
  #child = null
  #id = 0

  /** @param {readonly string[]} folders where its transcripts are */
  constructor(folders) {
    this.#folders = folders
  }

  /**
   * @param {{ seed: number, number: number } | { name: string, bytes: string, good: string | null, lines: readonly string[][] }} task
   * @returns {Promise<{ ran: number, failures: { law: string, what: string, line: readonly string[] }[] }>}
   */
  async run(task) {
    this.#child ??= await begun(this.#folders)
    const child = this.#child
    const id = ++this.#id
    let line = []
    let words = ''
    let ran = 0
    return new Promise((done) => {
      let timer
      const finish = (result) => {
        clearInterval(timer)
        child.removeAllListeners()
        child.stderr.removeAllListeners()
        done(result)
      }
      const lost = (law, what) => {
        this.#child = null
        child.kill('SIGKILL')
        finish({ ran, failures: [{ law, what, line }] })
      }
      const wait = () => {
        clearInterval(timer)
        const [clock, busy] = [performance.now(), secondsOf(child)]
        timer = setInterval(() => {
          const byTheClock = (performance.now() - clock) / 1000
          if (secondsOf(child) - busy > patience || byTheClock > patienceByTheClock) {
            lost('no end', line[0] ?? 'mutation')
          }
        }, 1000)
      }
      child.on('message', (message) => {
        if (message.id !== id) return
        if (message.failures) return finish(message)
        line = message.line
        ran++
        wait()
      })
      child.stderr.on('data', (chunk) => {
        words = `${words}${chunk}`.slice(0, 10_000)
      })
      child.on('exit', (code, signal) => {
        const cause = /(FATAL ERROR: [^\n]*|\w*Error: [^\n\d"']*)/.exec(words)?.[0] ?? ''
        lost('death', `${line[0] ?? 'mutation'} ${signal ?? code} ${cause}`)
      })
      wait()
      child.send({ ...task, id })
    })
  }

  stop() {
    this.#child?.disconnect()
    this.#child = null
  }
}

/** The CPU time of a process if the system tells it (proc(5): fields 14 and 15, in hundredths of a second). */
function secondsOf({ pid }) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return 0
  }
}

async function begun(folders) {
  const child = fork(new URL('runner.mjs', import.meta.url), folders, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  await new Promise((ready, failed) => {
    child.once('message', ready)
    child.once('exit', (code) => failed(new Error(`the runner does not start (${code})`)))
    child.stderr.once('data', (chunk) => failed(new Error(String(chunk))))
  })
  child.removeAllListeners()
  child.stderr.removeAllListeners()
  return child
}
