/** Runs every command with every output on files that once broke one, as found and minimised by `npm run fuzz`. */
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { checkReporters } from '../src/check/reporters/index.ts'
import { commands } from '../src/cli/inputs/commands.ts'
import { setting } from '../src/cli/inputs/settings.ts'
import { estimators } from '../src/estimators/index.ts'
import { policies } from '../src/policies/index.ts'
import { readers } from '../src/readers/index.ts'
import { reports } from '../src/reports/index.ts'
import { allLines } from '../tools/fuzz/commands.mjs'
import { judge, judgeReport } from '../tools/fuzz/judge.mjs'
import { loadSchemas } from '../tools/fuzz/schemas.mjs'
import { runCli } from './cli/run.ts'
import { readSource } from './readers/reading.ts'

const folder = join(import.meta.dirname, '../fixtures/damaged')
const registries = { formats: readers, policies, estimators, reports, reporters: checkReporters }
const schemas = loadSchemas()

describe.each(readdirSync(folder))('fixtures/damaged/%s', (name) => {
  const cwd = mkdtempSync(join(tmpdir(), 'ctxwin-damaged-'))
  copyFileSync(join(folder, name), join(cwd, name))
  afterAll(() => rmSync(cwd, { recursive: true }))

  const bytes = readFileSync(join(folder, name))

  it('is read without a record that is neither counted nor told', async () => {
    const { report } = await readSource({ name, chunks: [bytes] }, 'auto')
    expect(judgeReport(report, bytes)).toBeNull()
  })

  it.each(allLines({ commands, setting, registries }, name).map((line) => [line.join(' '), line] as const))(
    'breaks nothing in ctxwin %s',
    async (_, line) => {
      const before = process.cpuUsage()
      const ran = await runCli(line, { cwd })
      const { user, system } = process.cpuUsage(before)
      rmSync(join(cwd, 'ctxwin.config.mjs'), { force: true })
      expect(judge(line, { ...ran, seconds: (user + system) / 1e6 }, schemas, bytes)).toBeNull()
    },
  )
})
