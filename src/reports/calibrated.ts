/** The columns of `calibrate`, per transcript and in sum. Columns that a run has too are declared with the run's. */
import type { BillSummary } from '../model/billed.ts'
import type { Calibrated, CalibrationSummary } from '../model/calibrated.ts'
import { type Column, pickAs } from './column.ts'
import { foresightColumns, recordedFields } from './columns/recorded.ts'
import { runColumns } from './columns/run.ts'
import { transcriptsColumn } from './columns/total.ts'

/** Ranks of the figures that matter most in a table of estimators. */
const foresightRanks: Readonly<Record<string, number>> = {
  'foresight.meanAbsolutePercent': 0,
  'foresight.requests': 2,
  'foresight.biasPercent': 2,
  foresightTest: 9,
}

export const calibratedColumns: readonly Column<Calibrated>[] = [
  ...pickAs(runColumns, 'transcript', { rank: 0 }),
  ...pickAs(runColumns, 'conversation'),
  ...pickAs(runColumns, 'format'),
  ...pickAs(runColumns, 'model', { rank: 9 }),
  ...pickAs(runColumns, 'estimator', { rank: 0, uncut: true }),
  ...pickAs(recordedFields, 'requests', { header: 'requests', rank: 3 }),
  ...pickAs(recordedFields, 'inputTokens', { rank: 8 }),
  ...foresightColumns.map((column) =>
    column.key in foresightRanks ? { ...column, rank: foresightRanks[column.key]! } : column,
  ),
  ...pickAs(runColumns, 'preambleTokens', { rank: 5 }),
  { key: 'tokensPerByte', header: 'tokens per byte', unit: 'text', rank: 6, value: (row) => row.tokensPerByte },
  {
    key: 'withoutUsage',
    header: 'no usage',
    unit: 'count',
    rank: 7,
    quiet: true,
    value: (row) => row.leftOut.withoutUsage,
  },
  { key: 'afterCut', header: 'after a cut', unit: 'count', rank: 7, quiet: true, value: (row) => row.leftOut.cut },
  { key: 'asides', header: 'asides', unit: 'count', rank: 7, quiet: true, value: (row) => row.leftOut.aside },
  { key: 'worst', header: 'worst', unit: 'list', value: (row) => row.worst },
  { key: 'worstLine', header: 'worst line', unit: 'count', rank: 1, value: (row) => row.worst[0]?.line ?? null },
  {
    key: 'worstPercent',
    header: 'off there %',
    unit: 'percent',
    rank: 1,
    value: (row) => row.worst[0]?.errorPercent ?? null,
  },
]

export const calibrationSummaryColumns: readonly Column<CalibrationSummary>[] = [
  ...pickAs(runColumns, 'estimator', { rank: 0 }),
  { ...transcriptsColumn, rank: 1 },
  { key: 'requests', header: 'unseen', unit: 'count', rank: 1, value: (row) => row.requests },
  { key: 'median', header: 'median off %', unit: 'percent', rank: 0, value: (row) => row.median },
  { key: 'p90', header: 'p90 %', unit: 'percent', rank: 0, value: (row) => row.p90 },
  { key: 'worst', header: 'worst %', unit: 'percent', rank: 0, value: (row) => row.worst },
]

export const billColumns: readonly Column<BillSummary>[] = [
  ...pickAs(runColumns, 'format', { rank: 0 }),
  { key: 'cache', header: 'cache', unit: 'text', rank: 0, value: (row) => row.cache },
  { ...transcriptsColumn, rank: 2 },
  { key: 'spent', header: 'input billed', unit: 'money', rank: 1, value: (row) => row.spent },
  { key: 'modelled', header: 'modelled', unit: 'money', rank: 1, value: (row) => row.modelled },
  { key: 'offPercent', header: 'off %', unit: 'percent', rank: 0, value: (row) => row.offPercent },
  { key: 'medianPercent', header: 'median off %', unit: 'percent', rank: 1, value: (row) => row.medianPercent },
  { key: 'within5Percent', header: 'within 5 %', unit: 'percent', rank: 0, value: (row) => row.within5Percent },
  { key: 'within10Percent', header: 'within 10 %', unit: 'percent', rank: 3, value: (row) => row.within10Percent },
]
