/** `ctxwin compare` over directories with every policy: its schema, its sums, its errors. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ComparisonRow } from '../../../src/model/comparison.ts'
import type { Run, Validity } from '../../../src/model/run.ts'
import { policies } from '../../../src/policies/index.ts'
import { publishedSchema } from '../../schema.ts'
import { runCli } from '../run.ts'

const total = (runs: readonly Run[], value: (run: Run) => number): number =>
  runs.reduce((sum, run) => sum + value(run), 0)

describe('ctxwin compare', () => {
  const session = 'fixtures/claude-code/refactor.jsonl'
  const { violations } = publishedSchema('compare')
  const json = async (line: string) => {
    const { stdout, code, stderr } = await runCli([...line.split(' '), '--output', 'json'])
    expect([code, stderr]).toEqual([0, ''])
    return JSON.parse(stdout)
  }

  it.each([
    `compare ${session} --budget 20k`,
    'compare fixtures/openai-chat/tools.jsonl fixtures/codex/compaction.jsonl --budget 100,1k --targets 1,0.5 --estimator bytes,openai',
    'compare fixtures/claude-code --budget 0 --policy ikigai',
  ])('prints what its schema says: %s', async (line) => {
    expect(violations(await json(line))).toEqual([])
  })

  it('has the sums of the runs that simulate prints', async () => {
    const some = ['refactor', 'compaction', 'sidechain', 'other-services'].map(
      (name) => `fixtures/claude-code/${name}.jsonl`,
    )
    const line = `fixtures/openai-chat ${some.join(' ')} --budget 500 --policy ikigai,forge,keep-all`
    const { rows } = await json(`compare ${line}`)
    const { runs } = await json(`simulate ${line},clairvoyant`)
    for (const row of rows) {
      const own: Run[] = runs.filter(({ policy }: Run) => policy === row.policy)
      expect(own.length).toBe(row.transcripts)
      expect(row.sentTokens).toBe(total(own, (run) => run.sentTokens))
      expect(row.overBudgetRequests).toBe(total(own, (run) => run.overBudgetRequests))
      expect(row.cuts).toBe(total(own, (run) => run.cuts.length))
      expect(row.cost.prefixBreaks).toBe(total(own, (run) => run.cost.prefixBreaks))
      // To the two decimals that runs are rounded to.
      const hits = total(own, (run) => (run.cost.cacheHitPercent * run.sentTokens) / 100)
      expect(Math.abs(row.cost.cacheHitPercent - (100 * hits) / row.sentTokens)).toBeLessThan(0.011)
      const priced = own.filter(({ cost }) => cost.unit === 'usd')
      expect(row.cost.input).toBeCloseTo(
        total(priced, ({ cost }) => cost.input),
        5,
      )
      const faults = Object.values(row.validity as Validity)
      expect(row.invalidRequests).toBeGreaterThanOrEqual(Math.max(...faults))
      expect(row.invalidRequests).toBeLessThanOrEqual(faults.reduce((sum, fault) => sum + fault))
    }
  })

  it('compares what can be had in the program at hand, or all that can stand alone, or what is named', async () => {
    // Which policies there are, a short transcript shows as well.
    const session = 'fixtures/claude-code/compaction.jsonl'
    const namesOf = async (line: string) =>
      (await json(line)).rows.map(({ policy }: ComparisonRow) => policy).toSorted()
    const alone = policies.all.filter(({ part }) => !part)
    const elsewhere = ['forge-pr616', 'ikigai-shipped', 'codex-compact', 'goose-auto', 'langchain-trim']
    const usual = await namesOf(`compare ${session} --budget 20k`)
    expect(usual).toEqual(
      expect.arrayContaining(['claude-code-auto', 'ikigai', 'drop-oldest', 'as-recorded', 'keep-all']),
    )
    expect(usual.filter((name: string) => elsewhere.includes(name))).toEqual([])
    expect(await namesOf(`compare ${session} --budget 20k --policy all`)).toEqual(
      alone.map(({ name }) => name).toSorted(),
    )
  })

  it('says at its head where a program’s policy, which was named, is tried on others, as simulate does', async () => {
    const files = ['fixtures/claude-code/compaction.jsonl', 'fixtures/codex/compaction.jsonl']
    for (const command of ['compare', 'simulate']) {
      const line = [command, ...files, '--budget', '12k', '--policy', 'claude-code-auto']
      const { stdout } = await runCli(line, { env: { COLUMNS: '400' } })
      expect(stdout.split('\n').slice(0, 2).join('\n')).toMatch(
        /claude-code-auto (?:also|tried) on 1 transcript of other programs/,
      )
      const own = await runCli([...line.slice(0, 2), ...line.slice(3)], { env: { COLUMNS: '400' } })
      expect(own.stdout).not.toContain('other programs')
    }
  })

  it('has a program’s policy change its own transcripts only: the others are as they were recorded', async () => {
    const own = 'fixtures/claude-code/compaction.jsonl'
    const other = 'fixtures/codex/compaction.jsonl'
    const rowOf = async (policy: string, ...files: readonly string[]): Promise<ComparisonRow> => {
      const { rows } = await json(`compare ${files.join(' ')} --budget 12k`)
      return rows.find((row: ComparisonRow) => row.policy === policy)
    }
    const both = await rowOf('claude-code-auto', own, other)
    const [alone, left] = [await rowOf('claude-code-auto', own), await rowOf('as-recorded', other)]
    expect(both).toMatchObject({
      transcripts: alone.transcripts + left.transcripts,
      sentTokens: alone.sentTokens + left.sentTokens,
      cuts: alone.cuts + left.cuts,
      cost: { paid: expect.closeTo(alone.cost.paid + left.cost.paid, 6) },
    })
    expect(await rowOf('claude-code-auto', other)).toBeUndefined()
  })

  it('always has the unpruned history and the clairvoyant one', async () => {
    const some = await json(`compare ${session} --budget 20k --policy insert-notice`)
    expect(some.rows.map(({ policy }: ComparisonRow) => policy).toSorted()).toEqual([
      'clairvoyant',
      'insert-notice',
      'keep-all',
    ])
  })

  it('refuses targets that are none', async () => {
    for (const [targets, bad] of [
      ['2', '2'],
      ['0', '0'],
      ['half', 'half'],
      ['0.5,-1', '-1'],
    ]) {
      const { code, stderr } = await runCli(['compare', session, `--targets=${targets}`])
      expect(code).toBe(2)
      expect(stderr).toBe(`ctxwin: --targets: "${bad}" is not a fraction above 0, up to 1\n`)
    }
  })

  it('says that nothing is cheaper and loses no more than today, rather than call cheapest what saves nothing', async () => {
    const answers = async (line: string) =>
      (await runCli(`compare ${session} ${line}`.split(' '))).stdout.replaceAll(/\s+/g, ' ')
    expect(await answers('--budget 8k --policy drop-oldest,keep-all')).toContain(
      'Nothing that loses no more than today costs less. The nearest: keep-all at 8k: $0.56 for input, the same as today',
    )
    expect(await answers('--budget 16k,20k --policy ikigai,forge --targets 1,0.5')).toContain(
      'Cheapest that loses no more than today: ikigai:target=0.5 at 20k: $0.45',
    )
  })

  it('bills what --prices says', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'ctxwin-')), 'prices.json')
    writeFileSync(file, '{ "models": [{ "id": "claude-sonnet-4-5", "price": { "input": 6, "output": 30 } }] }')
    const line = `compare ${session} --budget 20k --policy ikigai`
    const usual = await json(line)
    const dear = await json(`${line} --prices ${file}`)
    expect(dear.rows[0].cost.inputFull).toBeCloseTo(2 * usual.rows[0].cost.inputFull, 5)
    const { code, stderr } = await runCli([...line.split(' '), '--prices', 'nowhere.json'])
    expect([code, stderr]).toEqual([2, 'ctxwin: cannot read nowhere.json: there is no such file\n'])
  })
})
