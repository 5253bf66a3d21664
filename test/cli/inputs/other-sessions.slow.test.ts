/** Sessions that rest on others, measured by threads. These run the built program. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { loadScript } from '../../../src/cache/code.ts'
import type { main } from '../../../src/cli/start/main.ts'
import { blind, folderOf, named, ten } from '../../app/files/telling-sessions.ts'
import { runCli, wordsOf } from '../run.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const built = loadScript<{ readonly main: typeof main }>(join(root, 'dist/main.cjs'), null, 'tests').exports.main

const more = [12, 13, 14].map((session) => ({ session, hidden: null }))
const cwd = folderOf(named([...ten, blind, ...more]))
afterAll(() => rmSync(cwd, { recursive: true }))

it.each(['simulate --by request', 'overview'])('%s: two jobs print what one does', async (line) => {
  const argv = [...wordsOf(line), '.', '--json', '--no-cache', '--jobs']
  const [one, two] = [await runCli([...argv, '1'], { cwd }, built), await runCli([...argv, '2'], { cwd }, built)]
  expect(one.code).toBe(0)
  expect(two).toEqual(one)
})

it('they rest on the others', async () => {
  const argv = ['simulate', '.', '-b', '0', '--json', '--no-cache', '--jobs', '2']
  const { runs } = JSON.parse((await runCli(argv, { cwd }, built)).stdout)
  const told = runs.filter(({ preambleSource }: { preambleSource: string }) => preambleSource === 'usual')
  expect(told).toHaveLength(4)
  for (const run of told) expect(run.predictionInterval).toMatchObject({ basis: 'own', transcripts: 10 })
})
