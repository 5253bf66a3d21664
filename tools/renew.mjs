#!/usr/bin/env node
/**
 * Makes anew whatever follows from the code: `npm run renew`, then read the diff, which is what users will notice.
 * test/tools/renew.test.ts fails when something that is generated is missing here. Left to their own commands is what needs
 * more than this repository: recorded transcripts (`npm run truth`), other programs (`tools/oracles/`), the network
 * (`tools/models/`).
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--update', '--reporter', 'dot']

/**
 * What is made anew, and the arguments of Node for it. The pictures come last: they run what the others may have changed.
 * @type {readonly (readonly [what: string, argv: readonly string[]])[]}
 */
export const renewals = [
  ['the man page', ['tools/docs/man.mjs']],
  ['the tables of docs/metrics.md', ['tools/docs/metrics.mjs']],
  ['the tables of docs/policies.md and docs/compose.md', ['tools/docs/policies.mjs']],
  ['the tables of docs/documents.md', ['tools/docs/documents.mjs']],
  ['the tables of docs/queries.md', ['tools/docs/tables.mjs']],
  ['the table of docs/licences.md', ['tools/docs/licences.mjs']],
  ['the schemas', ['tools/docs/schemas.mjs']],
  [
    'the goldens, and the table of docs/privacy.md',
    [
      ...vitest,
      'test/cli/goldens.test.ts',
      'test/reports/formats.test.ts',
      'test/reports/history.test.ts',
      'test/reports/order.test.ts',
      'test/reports/table.test.ts',
      'test/simulator/history.test.ts',
      'test/privacy/planted.slow.test.ts',
    ],
  ],
  [
    'the figures of the fixtures',
    ['bin/ctxwin.js', 'check', 'fixtures/', '--config', '.ci/ctxwin.config.json', '--update-baseline', '--quiet'],
  ],
  ['outputs and pictures in the docs', ['tools/docs/pictures.mjs']],
]

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const cwd = fileURLToPath(new URL('..', import.meta.url))
  const failed = renewals.filter(([what, argv]) => {
    console.error(`== ${what}`)
    return spawnSync(process.execPath, argv, { cwd, stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0
  })
  for (const [what, argv] of failed) console.error(`not renewed: ${what}. See node ${argv.join(' ')}`)
  spawnSync('git', ['status', '--short'], { cwd, stdio: 'inherit' })
  process.exitCode = failed.length > 0 ? 1 : 0
}
