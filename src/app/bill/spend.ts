/** What was spent, and on what, over many files: what `spend` prints. */
import { type AgentCalls, agentCalls } from '../../measures/agent-calls.ts'
import type { Diagnostic } from '../../model/run.ts'
import type { Spending } from '../../model/spending.ts'
import { builtinModels } from '../../models/lookup.ts'
import { ReferenceDigest, references } from '../../references/digest.ts'
import type { ReadFiles } from '../analysis.ts'
import { pagePiece } from '../files/piece-shapes.ts'
import { problemsOf } from '../files/read-sources.ts'
import type { Plan } from '../plan.ts'
import { copiedPage, Ledger } from './ledger.ts'

/**
 * Adds up recorded usage. Only sums and the dearest single results and misses stay in memory.
 * @param plan its first estimator counts, its prices hold
 * @param most how many single results and misses are kept
 * @param more `compactions`: also what was read again behind them, and what their summaries held: transcripts are read with their text.
 *   `agents`: also which call started which sub-agent
 */
export async function spend(
  read: ReadFiles,
  plan: Plan,
  most: number,
  more: 'compactions' | 'agents' | null = null,
): Promise<Spending> {
  const asked = { ...plan, copies: more === 'compactions' }
  const ledger = new Ledger(asked, plan.prices ?? builtinModels, most)
  const diagnostics: Diagnostic[] = []
  const files = read({
    plan: asked,
    reads: more === 'compactions' ? { digest: references, keepMessages: true } : { digest: agentCalls },
    measure(trace) {
      const { digest } = trace
      const agents = digest instanceof ReferenceDigest ? digest.agents : (digest as AgentCalls)
      return ledger.measure(trace, agents.tools, more === 'agents' ? agents : null)
    },
    copied: copiedPage,
    piece: pagePiece,
    start: () => ledger.blank(),
    add: (part, page) => part.add(page),
  })
  for await (const { source, report, part, copies } of files) {
    for (const copy of copies) diagnostics.push(copy)
    for (const problem of problemsOf(source.name, report)) diagnostics.push(problem)
    ledger.add(part.page())
  }
  return { schemaVersion: 1, ...ledger.result(), diagnostics }
}
