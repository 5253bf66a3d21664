/** Measured by tools/fit/preambles.mjs on sessions that others recorded and published. */
import type { UsualPreamble } from './table.ts'

export const preambles: { readonly asOf: string; readonly table: readonly UsualPreamble[] } = {
  asOf: '2026-11-22',
  table: [
    { program: 'claude-code', from: '2.0.70', sessions: 13, median: 40402, high: 40471 },
    { program: 'claude-code', from: '2.1.0', sessions: 25, median: 40057, high: 42410 },
    { program: 'claude-code', from: '2.1.10', sessions: 30, median: 28095, high: 42102 },
    { program: 'claude-code', from: '2.1.20', sessions: 19, median: 40706, high: 42146 },
    { program: 'claude-code', from: '2.1.30', sessions: 60, median: 40883, high: 44134 },
    { program: 'claude-code', from: '2.1.40', sessions: 9, median: 31897, high: 74381 },
    { program: 'claude-code', from: '2.1.160', sessions: 4, median: 20235, high: 20958 },
  ],
}
