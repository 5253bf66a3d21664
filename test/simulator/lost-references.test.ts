import { expect, test } from 'vitest'
import { choose, estimators, openFile, policies, simulateSources } from '../../src/app/index.ts'
import { copyKinds, termClasses } from '../../src/model/run.ts'

test('the rows of lost references are those that the figures count', async () => {
  const plan = {
    policies: [choose(policies.get('drop-messages')), choose(policies.get('mask-tool-results'))],
    estimators: [choose(estimators.get('bytes'))],
    budgets: [6000, 12_000],
    references: true,
    copies: true,
  }
  const files = ['fixtures/claude-code/refactor.jsonl', 'fixtures/codex/compaction.jsonl']
  const { runs } = await simulateSources(files.map(openFile), plan, { by: 'reference' }, (_, error) => {
    throw error
  })
  let rows = 0
  for (const { references, lost = [] } of runs) {
    rows += lost.length
    for (const name of termClasses) {
      const counts = references?.byClass[name]
      const own = lost.filter((loss) => loss.class === name)
      expect(own.filter(({ tier }) => tier === 'source')).toHaveLength(counts?.sourceLost ?? -1)
      expect(own.filter(({ sourceLine }) => sourceLine === null).length).toBeLessThanOrEqual(counts?.selfSourced ?? -1)
    }
    for (const kind of copyKinds)
      expect(lost.filter((loss) => loss.kind === kind)).toHaveLength(references?.copied?.byKind[kind].lost ?? -1)
    for (const { class: name, kind } of lost) expect(kind === null).toBe(name !== 'copied')
    expect(lost.map(({ request }) => request)).toEqual(lost.map(({ request }) => request).sort((a, b) => a - b))
    for (const { line, sourceLine, tier } of lost) {
      expect(tier === 'mention' || sourceLine !== null).toBe(true)
      expect(sourceLine ?? 0).toBeLessThan(line)
    }
  }
  expect(rows).toBeGreaterThan(0)
})
