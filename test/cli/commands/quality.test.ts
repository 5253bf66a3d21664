import { describe, expect, it } from 'vitest'
import { publishedSchema } from '../../schema.ts'
import { runCli } from '../run.ts'

const files = ['fixtures/claude-code', 'fixtures/pi']

describe('ctxwin quality', () => {
  it('names the endpoints where a word is none of them, and wants a number for a seed', async () => {
    expect(await runCli(['quality', ...files, '--endpoint', 'failed,speed'])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'ctxwin: --endpoint: "speed" is not one of failed, edits, repeated, interrupted, rejected, corrected, output\n',
    })
    const { code, stderr } = await runCli(['quality', ...files, '--seed', 'x'])
    expect([code, stderr]).toEqual([2, 'ctxwin: --seed: "x" is not a whole number such as 1\n'])
  })

  it('prints what its schema says, of the endpoints that were asked for', async () => {
    const { stdout } = await runCli(['quality', ...files, '--endpoint', 'output, failed', '--seed', '9', '--json'])
    const data = JSON.parse(stdout)
    expect(publishedSchema('quality').violations(data)).toEqual([])
    expect([data.seed, data.endpoints.map(({ endpoint }: { endpoint: string }) => endpoint)]).toEqual([
      9,
      ['failed', 'output'],
    ])
  })

  it('says of each endpoint that too little tells, where that is so', async () => {
    const { stdout } = await runCli(['quality', ...files])
    expect(stdout.match(/too few to say/g)).toHaveLength(7)
  })
})
