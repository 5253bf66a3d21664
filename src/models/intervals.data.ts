/** Measured by `node bench/truth/coverage.mjs` on sessions that others recorded and published. */
import type { UsualInterval } from './table.ts'

export const intervals: { readonly table: readonly UsualInterval[] } = {
  table: [
    { program: 'claude-code', test: 'cut', estimator: 'auto', transcripts: 25, owners: 4, low: -26.6, high: 27.3 },
    { program: 'claude-code', test: 'few-requests', estimator: 'auto', transcripts: 60, owners: 8, low: -14, high: 3 },
    { program: 'claude-code', test: 'half', estimator: 'auto', transcripts: 31, owners: 7, low: -3.6, high: 16.8 },
    { program: 'claude-code', test: 'cut', estimator: 'bytes', transcripts: 25, owners: 4, low: -27, high: 28 },
    { program: 'claude-code', test: 'few-requests', estimator: 'bytes', transcripts: 60, owners: 8, low: -32.9, high: 39.3 },
    { program: 'claude-code', test: 'half', estimator: 'bytes', transcripts: 31, owners: 7, low: -31.6, high: 66.4 },
    { program: 'codex', test: 'cut', estimator: 'auto', transcripts: 13, owners: 4, low: -5, high: 4 },
    { program: 'codex', test: 'few-requests', estimator: 'auto', transcripts: 28, owners: 6, low: -14.9, high: 5.1 },
    { program: 'codex', test: 'half', estimator: 'auto', transcripts: 13, owners: 5, low: -4.2, high: 4 },
    { program: 'codex', test: 'cut', estimator: 'bytes', transcripts: 13, owners: 4, low: -13.9, high: 54.7 },
    { program: 'codex', test: 'few-requests', estimator: 'bytes', transcripts: 28, owners: 6, low: -17.9, high: 27.1 },
    { program: 'codex', test: 'half', estimator: 'bytes', transcripts: 13, owners: 5, low: -14, high: 3.1 },
    { program: 'opencode', test: 'few-requests', estimator: 'auto', transcripts: 17, owners: 4, low: -51.3, high: 42.3 },
    { program: 'opencode', test: 'half', estimator: 'auto', transcripts: 12, owners: 3, low: -0.1, high: 3.6 },
    { program: 'opencode', test: 'few-requests', estimator: 'bytes', transcripts: 17, owners: 4, low: -18.1, high: 2.4 },
    { program: 'opencode', test: 'half', estimator: 'bytes', transcripts: 12, owners: 3, low: -11.8, high: 0.7 },
    { program: 'pi', test: 'few-requests', estimator: 'auto', transcripts: 16, owners: 5, low: -82.5, high: 13.4 },
    { program: 'pi', test: 'half', estimator: 'auto', transcripts: 14, owners: 5, low: -6.6, high: 7.7 },
    { program: 'pi', test: 'few-requests', estimator: 'bytes', transcripts: 16, owners: 5, low: -78.5, high: 9.1 },
    { program: 'pi', test: 'half', estimator: 'bytes', transcripts: 14, owners: 5, low: -42.1, high: 13.7 },
    { program: null, test: 'cut', estimator: 'auto', transcripts: 43, owners: 9, low: -21.8, high: 20.5 },
    { program: null, test: 'few-requests', estimator: 'auto', transcripts: 123, owners: 20, low: -23.6, high: 6.8 },
    { program: null, test: 'half', estimator: 'auto', transcripts: 71, owners: 17, low: -4.4, high: 7.6 },
    { program: null, test: 'cut', estimator: 'bytes', transcripts: 43, owners: 9, low: -28.1, high: 29.8 },
    { program: null, test: 'few-requests', estimator: 'bytes', transcripts: 123, owners: 20, low: -28.8, high: 17.6 },
    { program: null, test: 'half', estimator: 'bytes', transcripts: 71, owners: 17, low: -32.2, high: 14.5 },
  ],
}
