/** What `ctxwin calibrate` says of one transcript, and of many. */
import { describe, expect, it } from 'vitest'
import { runCli } from '../run.ts'

describe('calibrate', () => {
  const folder = ['fixtures/claude-code', 'fixtures/codex', '--estimator', 'bytes,estimate']

  it('sums up the estimators first, and names but the ten transcripts that are farthest off', async () => {
    const { stdout, code } = await runCli(['calibrate', ...folder])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^How far .*\n\nestimator +transcripts/)
    const rows = stdout.split('\n').filter((line) => /^\S+\.jsonl? /.test(line))
    const off = rows.map((row) => Number(row.match(/estimate\S* +([\d.]+)/)?.[1]))
    expect(off).toHaveLength(10)
    expect(off).toEqual(off.toSorted((a, b) => b - a))
    expect(stdout).toMatch(/^Transcripts that are farthest off \(\d+ more transcripts: --output csv\)$/m)
  })

  it('has every row of every transcript in a data format', async () => {
    const { stdout } = await runCli(['calibrate', ...folder, '--output', 'ndjson'])
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const transcripts = new Set(rows.map(({ transcript, conversation }) => `${transcript} ${conversation}`))
    expect(rows).toHaveLength(2 * transcripts.size)
  })
})
