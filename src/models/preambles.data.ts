/** Measured by tools/fit/preambles.mjs on sessions that others recorded and published. */
import type { UsualPreamble } from './table.ts'

export const preambles: { readonly asOf: string; readonly table: readonly UsualPreamble[] } = {
  asOf: '2026-11-22',
  table: [
    { program: 'claude-code', from: '2.0.70', sessions: 17, median: 40375, high: 40474 },
    { program: 'claude-code', from: '2.1.0', sessions: 44, median: 41438, high: 42410 },
    { program: 'claude-code', from: '2.1.10', sessions: 54, median: 28094, high: 42066 },
    { program: 'claude-code', from: '2.1.20', sessions: 28, median: 41100, high: 41962 },
    { program: 'claude-code', from: '2.1.30', sessions: 123, median: 41442, high: 44078 },
    { program: 'claude-code', from: '2.1.40', sessions: 130, median: 32110, high: 51887 },
    { program: 'claude-code', from: '2.1.50', sessions: 11, median: 34925, high: 35143 },
    { program: 'claude-code', from: '2.1.60', sessions: 4, median: 31294, high: 35837 },
    { program: 'claude-code', from: '2.1.160', sessions: 5, median: 20235, high: 20958 },
  ],
}
