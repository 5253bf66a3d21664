/** The columns of recorded compactions: what each cost, and what it led to. */
import type {
  CompactionEffects,
  CompactionSpending,
  CompactionSum,
  HeldUses,
  Mishaps,
  RereadSpending,
} from '../../model/spending.ts'
import { type Column, type Field, nullable, own, type Share, within, withValues } from '../column.ts'
import { percentOfAll } from './spending.ts'

const rereadFields: readonly Field<RereadSpending>[] = [
  own('over', 'looked at', 'count', 'requests that were looked at: 15, or as many as there are to the next compaction'),
  own('requests', 'requests', 'count', 'those of them that read something that had been read before'),
  own('tokens', 'tokens', 'tokens', 'of the results of these reads, each counted once, as estimated'),
  own('usd', 'USD', 'money', 'what the results cost in the requests that carried them', nullable),
]
const heldFields: readonly Field<HeldUses>[] = [
  own('used', 'used', 'count', 'later uses of what the compaction dropped'),
  own('kept', 'kept', 'count', 'those of them whose thing stood in what the agent put in its place'),
]
const mishapFields: readonly Field<Mishaps>[] = [
  own('over', 'requests', 'count', 'requests that were looked at: 15, or as many as there are on both sides'),
  own('results', 'results', 'count', 'results of tools in them, but for those that the user rejected or stopped'),
  own('failed', 'failed', 'count', 'those of them that say that the call failed'),
  own('rejected', 'rejected', 'count', 'calls that the user did not allow'),
  own('interrupted', 'stopped', 'count', 'requests behind which the user stopped the agent'),
  own('prompts', 'prompts', 'count', 'what the user typed'),
  own('corrected', 'corrected', 'count', 'what of it begins like a correction'),
]
const effect = <B>(key: keyof CompactionEffects & string, fields: readonly Field<B>[], meaning: string) =>
  within<CompactionEffects, B>(key, { meaning, ...nullable }, fields)
const effectFields: readonly Field<CompactionEffects>[] = [
  ...effect('rereads', rereadFields, 'what was read again in the requests behind it; null where nothing tells'),
  ...effect('rereadsBefore', rereadFields, 'the same in the requests in front of it'),
  ...effect(
    'heldContent',
    heldFields,
    'later uses of content that it dropped, and what its summary held; null where nothing tells',
  ),
  ...effect('heldNamed', heldFields, 'the same of paths, urls, errors, ids and targets'),
  ...effect(
    'heldCopied',
    heldFields,
    'the same of requests that copied text: those that would find at least a quarter of it gone, and do not',
  ),
  ...effect(
    'mishaps',
    mishapFields,
    'what went wrong in the requests behind it; null where nothing was measured, or one side has no request',
  ),
  ...effect('mishapsBefore', mishapFields, 'the same in as many requests in front of it'),
]
/** Of what compactions did, the figures of each by itself. */
export const compactionColumns: readonly Field<CompactionSpending>[] = [
  own('of', 'of', 'text', '`compaction`, or `rest`: all that was spent on anything else', {
    values: ['compaction', 'rest'],
  }),
  own('transcript', 'transcript', 'text', 'the file', { ...nullable, rank: 0, path: true, quiet: true }),
  own('conversation', 'conversation', 'text', 'the id the format gives it, else null', nullable),
  own('format', 'program', 'text', 'the format it was recorded in', { ...nullable, rank: 4, quiet: true }),
  own('version', 'version', 'text', 'of the program, where the format says', nullable),
  own('line', 'line', 'count', 'in the file', { ...nullable, rank: 3 }),
  own('request', 'request', 'ordinal', 'the first request behind it; null where none is', { ...nullable, rank: 0 }),
  own('time', 'when (UTC)', 'text', 'when that was answered, else the last one before it', { ...nullable, rank: 6 }),
  own('tokensBefore', 'before', 'tokens', 'recorded input of the request before it', { ...nullable, rank: 0 }),
  own('tokensAfter', 'after', 'tokens', 'recorded input of the first request behind it', { ...nullable, rank: 0 }),
  own('summaryUsd', 'summary USD', 'money', 'what the call cost that wrote the summary; null where none is recorded', {
    ...nullable,
    rank: 2,
    quiet: true,
  }),
  own('rewrittenTokens', 'rewritten', 'tokens', 'tokens that had to be written to the cache again', { rank: 4 }),
  own('rewrittenUsd', 'rewrite USD', 'money', 'what they cost beyond a read', { ...nullable, rank: 4 }),
  own('usd', 'USD', 'money', 'summary and rewriting together; null where no request has a price', {
    ...nullable,
    rank: 1,
  }),
  { ...percentOfAll, rank: 3 } as Field<CompactionSpending>,
  ...(effectFields as readonly Field<CompactionSpending>[]),
]

export const compactionSumColumns: readonly Field<CompactionSum>[] = [
  own('program', 'program', 'text', 'null for transcripts of no program that ctxwin knows of', nullable),
  own('compactions', 'compactions', 'count', 'how many were recorded'),
  own('transcripts', 'transcripts', 'count', 'in so many transcripts'),
  own('tokensBefore', 'before', 'tokens', 'median of the recorded input of the request before each', nullable),
  own('tokensAfter', 'after', 'tokens', 'median of the recorded input of the first request behind each', nullable),
  own('rewrittenTokens', 'rewritten', 'tokens', 'tokens that had to be written to the cache again'),
  own('usd', 'USD', 'money', 'summaries and rewriting together; null where no request has a price', nullable),
  ...(effectFields as readonly Field<CompactionSum>[]),
]

/** A share that a table shows: of how much it is told, and of how much that was so. */
const share = (
  key: string,
  header: string,
  rank: number,
  of: (one: CompactionSpending) => Share | null | undefined,
): Column<CompactionSpending> => ({ key, header, unit: 'percent', rank, value: () => null, share: of })
const shareOfUses = (uses: HeldUses | null | undefined) => uses && { part: uses.kept, whole: uses.used }

/** What a table shows of compactions: in front what was done, behind it what it led to. */
export const shownCompactionColumns: readonly Column<CompactionSpending>[] = [
  ...withValues<CompactionSpending>(
    compactionColumns.filter(({ key, rank }) => rank !== undefined && !key.includes('.')),
    {
      request: ({ of, request }) => (of === 'rest' ? 'all else' : request),
      time: ({ time }) => time?.slice(0, 16).replace('T', ' ') ?? null,
    },
  ),
  { key: 'again', header: 'read again', unit: 'tokens', rank: 1, value: ({ rereads }) => rereads?.tokens ?? null },
  {
    ...{ key: 'againBefore', header: 'read before', unit: 'tokens', rank: 2 },
    value: ({ rereadsBefore }) => rereadsBefore?.tokens ?? null,
  },
  share('againRequests', 'in requests', 4, ({ rereads }) => rereads && { part: rereads.requests, whole: rereads.over }),
  { key: 'againUsd', header: 'again USD', unit: 'money', rank: 2, value: ({ rereads }) => rereads?.usd ?? null },
  share('heldContent', 'content kept', 1, ({ heldContent }) => shareOfUses(heldContent)),
  share('heldCopied', 'copies kept', 3, ({ heldCopied }) => shareOfUses(heldCopied)),
]
