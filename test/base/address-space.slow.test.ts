/** Under a limit on address space the same is printed, where Node itself can start. These run the built program. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

const cwd = mkdtempSync(join(tmpdir(), 'ctxwin-space-'))
beforeAll(() => {
  for (const name of ['compaction', 'refactor', 'two-sessions']) {
    copyFileSync(join(root, 'fixtures/claude-code', `${name}.jsonl`), join(cwd, `${name}.jsonl`))
  }
})
afterAll(() => rmSync(cwd, { recursive: true }))

/** @param limit in gigabytes; null for none */
function node(limit: number | null, words: readonly string[], input = '', env: NodeJS.ProcessEnv = {}) {
  const script = `ulimit -c 0; ulimit -v ${limit === null ? 'unlimited' : Math.round(limit * 2 ** 20)}; exec "$@"`
  const ran = spawnSync('sh', ['-c', script, 'sh', process.execPath, ...words], {
    cwd,
    input,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })
  const { status, stdout, stderr } = ran
  return { status, stdout, stderr }
}
const ctxwin = (limit: number | null, argv: readonly string[], input = '', env: NodeJS.ProcessEnv = {}) =>
  node(limit, [join(root, 'bin/ctxwin.js'), ...argv, '--no-cache'], input, env)

/** In gigabytes: with less, this version of Node does not start. */
const least = process.platform === 'linux' ? leastOf() : 0
function leastOf(): number {
  const starts = (limit: number) => node(limit, ['-e', '']).status === 0
  let [few, enough] = [0, 0.7]
  while (!starts(enough)) [few, enough] = [enough, enough * 1.5]
  while (enough - few > 0.01) {
    const middle = (few + enough) / 2
    if (starts(middle)) enough = middle
    else few = middle
  }
  return enough
}

/** Said where little is left. */
const note = /^ctxwin: the limit on address space \(ulimit -v\) is \d+ MB, which is little for Node: .*\n/

describe.runIf(process.platform === 'linux')('a limit on address space', () => {
  const lines = [
    'simulate . --estimator openai,estimate --json --jobs 1',
    'simulate . --estimator bytes --json --jobs 3',
  ]
  it.each(lines)('changes nothing of %s', (line) => {
    const argv = line.split(' ')
    const free = ctxwin(null, argv)
    expect(free.status).toBe(0)
    // Where there is no room for a memory of WebAssembly, and where there is, but not for a heap beside it.
    for (const limit of [least + 0.5, 11]) {
      const { stderr, ...limited } = ctxwin(limit, argv)
      expect({ ...limited, stderr: stderr.replace(note, '') }).toEqual(free)
    }
  })

  it('changes nothing of advise --hook, before and after it has kept where it stopped', () => {
    const hook = (limit: number | null, input: object, caches: string) => {
      const words = [join(root, 'bin/ctxwin.js'), 'advise', '--hook']
      return node(limit, words, JSON.stringify(input), { XDG_CACHE_HOME: join(cwd, caches) })
    }
    for (const name of ['Status', 'Stop']) {
      const input = { transcript_path: join(cwd, 'compaction.jsonl'), hook_event_name: name }
      const free = hook(null, input, 'free')
      expect(free).toMatchObject({ status: 0, stderr: '' })
      const { stderr, ...limited } = hook(least + 0.5, input, 'limited')
      expect({ ...limited, stderr: stderr.replace(note, '') }).toEqual(free)
    }
  })

  it('is met by a library with the twins of what is WebAssembly', () => {
    const program = `
      import { useWasm } from '${root}dist/base/wasm.js'
      import { price, states } from '${root}dist/estimators/automaton.js'
      import { priceInKernel } from '${root}dist/estimators/pricer.js'
      import { findInTwin, findInWasm } from '${root}dist/references/terms/kernel.js'
      useWasm(true)
      const text = 'see src/app/main.ts and MAX_RETRIES\\n'.repeat(200_000)
      const costs = Float64Array.from(states, (_, id) => id / 7)
      const found = (find, text) => {
        let sum = 0
        const add = (...numbers) => {
          for (const number of numbers) if (typeof number === 'number') sum = (sum * 31 + number) % 2 ** 40
        }
        find(text, '/home/u', add, add)
        return sum
      }
      for (const one of [text, text.slice(0, 1000)]) {
        if (found(findInWasm, one) !== found(findInTwin, one)) throw new Error('other terms')
      }
      if (priceInKernel(text, costs) !== price(text, costs)) throw new Error('another price')`
    const words = ['--no-turbo-inline-js-wasm-calls', '--input-type=module', '-e', program]
    // For the second of them there is no room with 12.
    for (const limit of [null, 12, 4]) {
      expect(node(limit, words.slice(process.version.startsWith('v20.') ? 0 : 1))).toEqual({
        status: 0,
        stdout: '',
        stderr: '',
      })
    }
  })

  // So near to the limit Node itself now and then finds no room for a thread.
  it('is told where little is left of it, but not to those who want it quiet', { retry: 4 }, () => {
    const argv = ['simulate', 'refactor.jsonl', '--budget', '20k']
    expect(ctxwin(least + 0.2, argv).stderr).toMatch(note)
    expect(ctxwin(least + 0.2, [...argv, '--quiet']).stderr).toBe('')
    expect(ctxwin(4, argv).stderr).toBe('')
  })

  it('is told where Node leaves nothing of it', () => {
    expect(ctxwin(least, ['simulate', 'refactor.jsonl'])).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^ctxwin: the limit on address space .* which Node needs for itself: raise it to 3 GB\n$/,
      ),
    })
  })

  it('refuses what is WebAssembly alone, with what helps', () => {
    const refused = ctxwin(4, ['export', 'refactor.jsonl', '--to', 'sqlite:a.db'])
    // From Node 24 on it needs no more room than there is.
    if (refused.status === 0) return
    expect(refused.stderr.replace(note, '')).toBe(
      'ctxwin: a SQLite database needs more address space than its limit (ulimit -v) leaves: raise that to 12 GB, or to 6 GB with NODE_OPTIONS=--disable-wasm-trap-handler\n',
    )
    for (const [limit, env] of [
      [12, {}],
      [6, { NODE_OPTIONS: '--disable-wasm-trap-handler' }],
    ] as const) {
      expect(ctxwin(limit, ['export', 'refactor.jsonl', '--to', `sqlite:${limit}.db`], '', env).status).toBe(0)
    }
  })
})
