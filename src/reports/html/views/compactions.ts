/** What recorded compactions did, by program: what `spend --by compaction` has. */
import type { ShownUnit } from '../../../model/run.ts'
import type { CompactionSum, Mishaps, RereadSpending } from '../../../model/spending.ts'
import { billedWords } from '../../answer.ts'
import { compact, grouped, several, shareWords } from '../../numbers.ts'
import { type Element, h } from '../element.ts'
import { tableOf } from './spending.ts'

/** @param sums of at least one program */
export function compactionsView(sums: readonly CompactionSum[], unit: ShownUnit): Element[] {
  return [
    ...sums.flatMap((sum) => {
      const name = sum.program ?? 'other programs'
      const heading = sums.length > 1 ? [h('h3')(name)] : []
      return [...heading, h('p')(sentences(sum, unit).join(' ')), ...around(sum, name)]
    }),
    h('p.quiet')(caveat),
  ]
}

const caveat =
  'Up to 15 requests in front of each compaction are held against up to 15 behind it; for calls that failed and for what you did, as many on both sides. A compaction comes at a time of its own: it need not be the cause of a difference.'

function sentences({ compactions, transcripts, usd, heldContent }: CompactionSum, unit: ShownUnit): string[] {
  const where = `${several(compactions, 'compaction')} in ${several(transcripts, 'transcript')}`
  const cost =
    usd === null
      ? ''
      : ` cost ${billedWords(usd, unit)}: writing the cache anew, and summaries where the call is recorded`
  return [
    `${where}${cost}.`,
    heldContent !== null && heldContent.used > 0
      ? `Of what was used later, summaries held ${grouped(heldContent.kept)} of ${grouped(heldContent.used)} texts.`
      : 'What summaries held of what was used later is not known.',
  ]
}

/** What can be counted on both sides; nothing where nothing can. */
function around(sum: CompactionSum, name: string): Element[] {
  const { tokensBefore, tokensAfter, rereads, rereadsBefore, mishaps, mishapsBefore } = sum
  const tokens = (count: number | null): string => (count === null ? '–' : compact(count))
  const again = ({ tokens, over }: RereadSpending): string => compact(tokens / over)
  const failed = ({ failed, results }: Mishaps): string => shareWords(failed, results, 1)
  const said = (['corrected', 'interrupted', 'rejected'] as const).filter(
    (key) => (mishaps?.[key] ?? 0) + (mishapsBefore?.[key] ?? 0) > 0,
  )
  const rows = [
    ...(tokensBefore === null && tokensAfter === null
      ? []
      : [['the window, in tokens (median)', tokens(tokensBefore), tokens(tokensAfter)]]),
    ...(rereads && rereadsBefore && rereads.over > 0 && rereadsBefore.over > 0
      ? [['read again, in tokens a request', again(rereadsBefore), again(rereads)]]
      : []),
    ...(mishaps && mishapsBefore && mishaps.results + mishapsBefore.results > 0
      ? [['calls that failed', failed(mishapsBefore), failed(mishaps)]]
      : []),
    ...(mishaps && mishapsBefore
      ? said.map((key) => [saidWords[key], mishapsBefore[key], mishaps[key]].map(String))
      : []),
  ]
  return rows.length === 0 ? [] : [tableOf(`Around the compactions of ${name}`, ['what', 'in front', 'behind'], rows)]
}

const saidWords = {
  corrected: 'you corrected it',
  interrupted: 'you stopped it',
  rejected: 'you rejected a call',
} as const
