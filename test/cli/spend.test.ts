import { describe, expect, it } from 'vitest'
import { runCli } from './run.ts'

const file = 'fixtures/claude-code/refactor.jsonl'

describe('ctxwin spend', () => {
  it('names the choices where a word is none of them', async () => {
    const { code, stderr } = await runCli(['spend', file, '--by', 'hour'])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'ctxwin: --by: "hour" is not one of project, model, day, kind, part, result, cause, miss\n',
    })
    expect((await runCli(['spend', file, '--top', '0'])).code).toBe(2)
  })

  it('shows as many rows as --top says, and with --by all of them', async () => {
    const rows = async (...words: string[]) =>
      (await runCli(['spend', file, ...words])).stdout.split('\n').filter((line) => line.startsWith('tool '))
    expect(await rows('--top', '3')).toHaveLength(1)
    expect(await rows('--by', 'part', '--top', '3')).toHaveLength(5)
  })

  it('says that nothing is recorded, instead of tables of nothing', async () => {
    const { code, stdout, stderr } = await runCli(['spend', 'fixtures/openai-chat/tools.jsonl'])
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: 'ctxwin: no usage is recorded: nothing can be said of what was spent\n',
    })
  })
})
