/** What the recorded agent's own compactions did: what was read again behind them, and what their summaries held. */
import { choose } from '../base/chosen.ts'
import { addCompactions, type Compactions, noCompactions } from '../measures/rereads.ts'
import { type Message, textOf } from '../model/message.ts'
import type { LossCounts, References } from '../model/run.ts'
import type { Compaction } from '../model/trace.ts'
import asRecorded from '../policies/as-recorded.ts'
import type { Policy } from '../policies/policy.ts'
import { recordedCuts } from '../references/read-again.ts'
import type { Case } from './case.ts'
import { simulateOne } from './simulate.ts'

/**
 * What the compactions of a transcript came to; it is kept beside the transcript, as it takes a replay or two.
 * @param recorded what the recorded agent lost, where it has been replayed
 */
export function recordedCompactions(facts: Case, recorded: Lost | null = null): Compactions {
  if (facts.trace.compactions.length === 0 || facts.digest === null) return noCompactions
  return facts.memo('compactions', () => addCompactions(rereadBehind(facts), keptInSummaries(facts, recorded)))
}

type Lost = Readonly<Record<'headline' | 'named', Pick<LossCounts, 'sourceLost'>>>

function rereadBehind({ trace, digest, sizes }: Case): Compactions {
  if (digest === null) return noCompactions
  return recordedCuts(trace, digest, sizes)
    .map(({ droppedTokens, before, behind }): Compactions => {
      const over = behind.over / before.over
      return {
        ...noCompactions,
        cuts: 1,
        droppedTokens,
        rereadTokens: behind.tokens - before.tokens * over,
        rereadRequests: behind.requests - before.requests * over,
      }
    })
    .reduce(addCompactions, noCompactions)
}

/**
 * Uses that find their source gone if each recorded summary is blanked, and those of them that find it with the summary as it was
 * written. Where a summary cannot be read (it is encrypted, or was not recorded) nothing is known.
 */
function keptInSummaries(facts: Case, recorded: Lost | null): Compactions {
  const isRead = (message: Message): boolean => textOf(message).trim() !== ''
  const isTold = ({ summary, sealed }: Compaction): boolean => sealed !== true && summary.some(isRead)
  if (!facts.trace.compactions.every(isTold)) return noCompactions
  const lost = sourcesLost(recorded ?? referencesUnder(facts, asRecorded))
  const uses = sourcesLost(referencesUnder(facts, blanked))
  return { ...noCompactions, uses, kept: Math.max(0, uses - lost) }
}

const blanked: Policy = {
  ...asRecorded,
  start: (values, context) =>
    asRecorded.start(values, {
      ...context,
      compactions: context.compactions.map((compaction) => ({
        ...compaction,
        summary: compaction.summary.map((message) => ({ ...message, blocks: [] })),
      })),
    }),
}

function referencesUnder(facts: Case, policy: Policy): References {
  return simulateOne({ policy: choose(policy), facts, budget: 0 }, []).references as References
}

function sourcesLost({ headline, named }: Lost): number {
  return headline.sourceLost + named.sourceLost
}
