/** A column is declared once: a new one appears in each format, in the limits of a check and in the schema. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { assertables, assertablesOf, metricsOf } from '../../src/check/metrics.ts'
import { settings } from '../../src/cli/inputs/settings.ts'
import * as advice from '../../src/model/advice.ts'
import * as qualityWords from '../../src/model/quality.ts'
import { keepReasons, outcomes, risks, scopes } from '../../src/model/recommendation.ts'
import type { Run } from '../../src/model/run.ts'
import { intervalBases } from '../../src/model/run.ts'
import { tuningOutcomes } from '../../src/model/tuning.ts'
import { changedColumns, moveColumns } from '../../src/reports/changed.ts'
import { type Field, membersOf } from '../../src/reports/column.ts'
import { simulationColumns } from '../../src/reports/columns/rows.ts'
import { runColumns } from '../../src/reports/columns/run.ts'
import { spendingTotalColumns } from '../../src/reports/columns/spending.ts'
import { totalColumns } from '../../src/reports/columns/total.ts'
import { reports } from '../../src/reports/index.ts'
import { lossesFields, rowColumns } from '../../src/reports/recommendation.ts'
import { listedColumns } from '../../src/reports/session-list.ts'
import { spendingLists } from '../../src/reports/spending.ts'
import { foundFields, heldOutFields, tunedColumns } from '../../src/reports/tuning.ts'
import { tableOf, withTables } from '../../tools/docs/metrics.mjs'
import {
  adviseSchema,
  changedSchema,
  configSchema,
  print,
  qualitySchema,
  recommendSchema,
  sessionsSchema,
  simulateSchema,
  spendSchema,
  tuneSchema,
} from '../../tools/docs/schemas.mjs'
import { options, sampleRun, simulationOf } from './samples.ts'

const madeUp: Field<Run> = {
  key: 'cost.madeUp',
  header: 'made up',
  unit: 'count',
  meaning: 'what nobody has counted yet',
  topic: 'money',
  better: 'higher',
  rank: 0,
  value: () => 4711,
}
const run = [...runColumns, madeUp]

/** How the column stands in each report. */
const places: Readonly<Record<string, RegExp>> = {
  table: /made up/,
  json: /"prefixBreaks": 5,\n +"madeUp": 4711\n/,
  ndjson: /"prefixBreaks":5,"madeUp":4711\}/,
  csv: /,cost\.madeUp/,
  markdown: /\| made up \|/,
}

describe('a column that is declared', () => {
  it.each(reports.names)('stands in --output %s, as places has it', (format) => {
    const columns = { ...simulationColumns, run }
    const text = [...reports.get(format).render(simulationOf([sampleRun()]), options, columns)].join('')
    expect(text).toMatch(places[format] ?? `places of this test say nothing of ${format}`)
    expect(text.replaceAll(',', '')).toContain('4711')
  })

  it('can be held to a limit, in its direction', () => {
    const { metric } = assertablesOf(metricsOf(run)).get('minCostMadeUp') ?? {}
    expect([metric?.value(sampleRun()), metric?.better]).toEqual([4711, 'higher'])
  })

  it.each(['cut', 'fault'] as const)('says where to look: at the first %s', (cause) => {
    const places = { cut: sampleRun().cuts.at(0)?.line, fault: 23 }
    const firstFaults = [{ fault: 'emptyMessages', request: 3, line: 23 }] as const
    const columns = [{ ...madeUp, key: 'validity.emptyMessages', cause }]
    const { metric } = assertablesOf(metricsOf(columns)).get('maxValidityEmptyMessages') ?? {}
    expect(metric?.cause(sampleRun({ firstFaults }), 0, new Map()).line).toBe(places[cause])
  })

  it('is part of the schema, with its meaning', () => {
    const { properties, required } = simulateSchema({ run: membersOf(run), total: [] }).$defs.run.properties.cost
    expect(properties.madeUp).toEqual({ description: madeUp.meaning, type: 'integer', minimum: 0 })
    expect(required).toContain('madeUp')
  })
})

describe('docs/metrics.md is what the columns say: npm run renew', () => {
  const page = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8')

  it('has every figure in the table of its topic', () => {
    expect(page).toBe(withTables(page, runColumns))
    for (const { topic } of runColumns) expect(page).toContain(tableOf(topic, runColumns))
  })

  it('gains a figure that is made up', () => {
    expect(withTables(page, run)).toContain(
      '| `cost.madeUp` | `made up` | count | higher | what nobody has counted yet |',
    )
  })
})

describe('docs/schema is what the columns and settings say: npm run renew', () => {
  const decided = {
    candidate: membersOf(rowColumns),
    losses: membersOf(lossesFields),
    ...{ outcomes, keepReasons, risks, scopes, intervalBases },
  }
  it.each([
    ['simulate', () => simulateSchema({ run: membersOf(runColumns), total: membersOf(totalColumns) })],
    ['config', () => configSchema({ settings, figures: ['orphanedPairs', ...assertables.keys()] })],
    ['recommend', () => recommendSchema(decided)],
    [
      'tune',
      () =>
        tuneSchema({
          row: membersOf(tunedColumns),
          heldOut: membersOf(heldOutFields),
          found: membersOf(foundFields),
          outcomes: tuningOutcomes,
        }),
    ],
    ['advise', () => adviseSchema(advice)],
    ['quality', () => qualitySchema(qualityWords)],
    [
      'spend',
      () =>
        spendSchema({
          total: membersOf(spendingTotalColumns),
          lists: Object.fromEntries(Object.entries(spendingLists).map(([name, columns]) => [name, membersOf(columns)])),
        }),
    ],
    [
      'sessions',
      () =>
        sessionsSchema({
          total: membersOf(spendingTotalColumns),
          session: membersOf(listedColumns),
          move: membersOf(moveColumns),
        }),
    ],
    ['changed', () => changedSchema({ program: membersOf(changedColumns) })],
  ])('%s', (name, schema) => {
    const file = new URL(`../../docs/schema/${name}.schema.json`, import.meta.url)
    expect(readFileSync(file, 'utf8')).toBe(print(schema()))
  })
})
