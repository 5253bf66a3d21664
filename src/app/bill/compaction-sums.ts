/** What the recorded compactions of each program did, in sum. */
import { medianOf } from '../../base/median.ts'
import { rounded } from '../../measures/cost.ts'
import type { CompactionSum } from '../../model/spending.ts'
import { programOf } from '../answer/candidates.ts'
import type { CompactionRow } from './compaction-spending.ts'

/** The program with most of them first. */
export function compactionSums(rows: readonly CompactionRow[]): CompactionSum[] {
  const programs = new Map<string | null, CompactionRow[]>()
  for (const row of rows) {
    const program = row.format === null ? null : programOf({ format: row.format })
    programs.set(program, [...(programs.get(program) ?? []), row])
  }
  return [...programs]
    .map(([program, own]) => sumOf(program, own))
    .sort((a, b) => b.compactions - a.compactions || ((a.program ?? '') < (b.program ?? '') ? -1 : 1))
}

function sumOf(program: string | null, rows: readonly CompactionRow[]): CompactionSum {
  const known = <T>(of: (row: CompactionRow) => T | null): T[] => rows.map(of).filter((one) => one !== null)
  const costs = known(({ usd }) => usd)
  return {
    program,
    compactions: rows.length,
    transcripts: new Set(rows.map(({ transcript }) => transcript)).size,
    tokensBefore: medianOf(known(({ tokensBefore }) => tokensBefore)),
    tokensAfter: medianOf(known(({ tokensAfter }) => tokensAfter)),
    rewrittenTokens: rows.reduce((sum, { rewrittenTokens }) => sum + rewrittenTokens, 0),
    usd: costs.length === 0 ? null : rounded(costs.reduce((sum, usd) => sum + usd, 0)),
    rereads: added(known(({ rereads }) => rereads)),
    rereadsBefore: added(known(({ rereadsBefore }) => rereadsBefore)),
    heldContent: added(known(({ heldContent }) => heldContent)),
    heldNamed: added(known(({ heldNamed }) => heldNamed)),
    heldCopied: added(known(({ heldCopied }) => heldCopied)),
    mishaps: added(known(({ mishaps }) => mishaps)),
    mishapsBefore: added(known(({ mishapsBefore }) => mishapsBefore)),
  }
}

/** Figure by figure; a price that is not known adds nothing, and is not known where none is. Null of none. */
function added<T extends { readonly [key in keyof T]: number | null }>(all: readonly T[]): T | null {
  return all.reduce<T | null>((sum, one) => {
    if (sum === null) return one
    const keys = Object.keys(one) as (keyof T)[]
    const total = (key: keyof T) =>
      sum[key] === null && one[key] === null ? null : rounded((sum[key] ?? 0) + (one[key] ?? 0))
    return Object.fromEntries(keys.map((key) => [key, total(key)])) as unknown as T
  }, null)
}
