/** Runs tests in processes of their own, with or without a planted fault, and says how that went. */
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'

/** Tests that a fault has made endless are not waited for. In seconds: many times what those of any fault take. */
const patience = 120

export class Tests {
  #root
  #running = new Set()

  constructor(root) {
    this.#root = root
  }

  /**
   * @param files paths of tests, @param mutant the fault, or null, @param workers at most so many processes for the tests,
   * @param seconds at most
   * @returns `passed`, `failed` with the name of a test, `broken` with why none could be tried, `endless`, or `late`: `seconds`
   *   are over
   */
  run(files, mutant, workers, seconds) {
    if (files.length === 0) return Promise.resolve({ state: 'passed', said: '' })
    const config = resolve(import.meta.dirname, 'vitest.config.ts')
    const args = ['run', '--config', config, '--reporter', 'json', '--bail', '1', '--maxWorkers', String(workers)]
    const child = spawn(process.execPath, [resolve(this.#root, 'node_modules/vitest/vitest.mjs'), ...args, ...files], {
      cwd: this.#root,
      env: { ...process.env, MUTANT: mutant === null ? undefined : JSON.stringify(mutant) },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Its workers are of its group: one that a fault keeps busy hears of nothing else.
      detached: true,
    })
    this.#running.add(child)
    const said = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (text) => (said[name] += text))
    let state = null
    const limit = Math.min(patience, seconds)
    const timer = setTimeout(() => {
      state = seconds < patience ? 'late' : 'endless'
      end(child)
    }, limit * 1000)
    return new Promise((settle) => {
      child.on('close', (code) => {
        clearTimeout(timer)
        this.#running.delete(child)
        settle(state === null ? outcomeOf(code, said) : { state, said: '' })
      })
    })
  }

  stop() {
    for (const child of this.#running) end(child)
  }
}

function end({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

function outcomeOf(code, { stdout, stderr }) {
  if (code === 0) return { state: 'passed', said: '' }
  const begin = stdout.indexOf('{"num')
  const results = begin < 0 ? [] : JSON.parse(stdout.slice(begin)).testResults
  for (const { name, assertionResults } of results) {
    const failed = assertionResults.find(({ status }) => status === 'failed')
    if (failed) return { state: 'failed', said: `${name.slice(name.indexOf('/test/') + 1)}: ${failed.fullName}` }
  }
  const messages = results.map(({ message }) => message).filter(Boolean)
  return { state: 'broken', said: (messages[0] ?? stderr.trim()) || `vitest ended with ${code}` }
}
