/**
 * Measures how long the program takes if there is almost nothing to do, in whole processes: see README.md.
 *
 *     npm run build && node bench/startup.mjs [--rounds 15]
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '15' } } })
const root = fileURLToPath(new URL('..', import.meta.url))
const session = 'fixtures/claude-code/refactor.jsonl'

const commands = [
  ['-e', '0'],
  ['bin/ctxwin.js', '--help'],
  ['bin/ctxwin.js', 'policies'],
  ['bin/ctxwin.js', 'simulate', session],
  ['bin/ctxwin.js', 'simulate', session, '--output', 'json'],
]

const runs = commands.map(() => [])
for (let round = 0; round < Number(values.rounds); round++) {
  for (const [index, args] of commands.entries()) runs[index].push(milliseconds(args))
}

console.log(`milliseconds of ${values.rounds} runs (Node ${process.versions.node})`)
console.table(
  Object.fromEntries(
    commands.map((args, index) => {
      const sorted = runs[index].toSorted((a, b) => a - b)
      return [`node ${args.join(' ')}`, { best: Math.round(sorted[0]), median: Math.round(sorted[sorted.length >> 1]) }]
    }),
  ),
)

function milliseconds(args) {
  const begun = performance.now()
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'ignore' })
  if (status !== 0) throw new Error(`node ${args.join(' ')} failed`)
  return performance.now() - begun
}
