/**
 * Measures how much the start of the program costs, in whole processes: see README.md.
 *
 *     npm run build && node bench/startup.mjs [--rounds 15]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median, processorTime } from './processor-time.mjs'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '15' } } })
const root = fileURLToPath(new URL('..', import.meta.url))
const place = mkdtempSync(join(tmpdir(), 'ctxwin-startup-'))
const session = 'fixtures/claude-code/refactor.jsonl'

try {
  const long = join(place, 'session.jsonl')
  run(['bench/generate.mjs', '--bytes', '3mb', long])
  const commands = {
    'node -e 0': ['-e', '0'],
    '--help': ['bin/ctxwin.js', '--help'],
    'list policies': ['bin/ctxwin.js', 'list', 'policies'],
    'simulate, 20 KB': ['bin/ctxwin.js', 'simulate', session, '--budget', '20k'],
    'the same, nothing kept': [{ CI: 'true' }, 'bin/ctxwin.js', 'simulate', session, '--budget', '20k'],
    'simulate, 3 MB': ['bin/ctxwin.js', 'simulate', long],
    'the same 3 MB, nothing kept': [{ CI: 'true' }, 'bin/ctxwin.js', 'simulate', long],
    'import of the library': ['-e', "import('ctxwin')"],
    'import of its modules': ['-e', "import('./dist/app/index.js')"],
  }
  const rounds = Object.fromEntries(Object.keys(commands).map((name) => [name, []]))
  // The first round, in which compiled code and traces are kept, counts for nobody.
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const [name, args] of Object.entries(commands)) {
      const milliseconds = run(args)
      if (round > 0) rounds[name].push(milliseconds)
    }
  }
  console.log(`milliseconds of processor time, ${values.rounds} runs (Node ${process.versions.node})`)
  const [alone] = Object.values(rounds)
  const best = (times) => Math.min(...times)
  console.table(
    Object.fromEntries(
      Object.entries(rounds).map(([name, times]) => [
        name,
        {
          best: Math.round(best(times)),
          median: Math.round(median(times)),
          'best above node': Math.round(best(times) - best(alone)),
        },
      ]),
    ),
  )
} finally {
  rmSync(place, { recursive: true })
}

/** @returns milliseconds */
function run(args) {
  const [env, words] = typeof args[0] === 'object' ? [args[0], args.slice(1)] : [{ CI: '' }, args]
  return 1000 * processorTime(words, { cwd: root, env: { ...process.env, XDG_CACHE_HOME: place, ...env } })
}
