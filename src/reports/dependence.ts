/**
 * The table of `calibrate` that compares two things: whether the old text of an edit was inside, and whether ctxwin
 * counts its content as lost.
 */
import type { Dependence, DependenceRow } from '../model/dependence.ts'
import { type Column, own } from './column.ts'

const reported = (place: keyof Dependence, header: string): Column<DependenceRow> => ({
  key: place,
  header,
  unit: 'percent',
  rank: 0,
  value: (row) => row[place].reported,
  share: (row) => ({ part: row[place].reported, whole: row[place].edits }),
})

export const dependenceColumns: readonly Column<DependenceRow>[] = [
  own('policy', 'edits reported as lost', 'text', 'the policy', { rank: 0 }),
  own('budget', 'budget', 'tokens', 'the budget', { rank: 0 }),
  reported('outside', 'text outside'),
  reported('part', 'in part'),
  reported('inside', 'inside'),
]
