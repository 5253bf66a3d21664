import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { runCli } from '../../cli/run.ts'
import { isReadBack } from './converted.ts'

const files = readdirSync('fixtures', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !['vectors', 'damaged'].includes(entry.name))
  .flatMap(({ name }) => readdirSync(`fixtures/${name}`).map((file) => `fixtures/${name}/${file}`))

describe('convert', () => {
  it.each(files)('%s is read back to the same runs, and each line is as the schema says', isReadBack)

  it('names what a form cannot hold, and nothing where it holds all', async () => {
    const file = 'fixtures/claude-code/compaction.jsonl'
    const { stderr } = await runCli(['export', file, '--to', 'openai'])
    expect(stderr).toContain('openai cannot hold, and leaves out:')
    expect(stderr).toContain('1 compactions that were recorded')
    expect(await runCli(['export', file, '--to', 'ctxwin'])).toMatchObject({ code: 0, stderr: '' })
    expect(await runCli(['export', file])).toMatchObject({
      code: 2,
      stderr:
        'ctxwin: name a place with --to, such as sqlite:windows.db; or a form: ctxwin, openai, anthropic, atif, mooncake\n',
    })
  })
})
