/** The columns of later uses of what had left the window. */
import {
  type Copied,
  type CopiedCounts,
  type CopiedText,
  type CopyKind,
  copyKinds,
  type LossCounts,
  type Losses,
  type LostReference,
  lossCounts,
  type PolicyBounds,
  percent,
  type References,
  type Rereads,
  sourced,
  termClasses,
} from '../../model/run.ts'
import { type Field, own, pick, within } from '../column.ts'
import { lessIsBetter, lower } from './directions.ts'

export const lossFields: readonly Field<Losses>[] = lessIsBetter([
  own('total', 'uses', 'count', 're-references: uses of a term that occurred before, each term once per request'),
  own(
    'selfSourced',
    'self-sourced',
    'count',
    "uses of terms that only the assistant ever wrote: never source-lost, not in that tier's denominator",
  ),
  own('mentionLost', 'mention lost', 'count', 'no earlier mention is inside the window'),
  own('mentionLostPercent', 'mention lost', 'percent', 'mentionLost / total', {
    share: ({ mentionLost, total }) => ({ part: mentionLost, whole: total }),
  }),
  own('sourceLost', 'lost', 'count', 'there was a source, and none is inside the window'),
  own('sourceLostPercent', 'lost', 'percent', 'sourceLost / (total − selfSourced)', {
    share: (losses) => ({ part: losses.sourceLost, whole: sourced(losses) }),
  }),
])
const lossCountFields: readonly Field<LossCounts>[] = pick(lossFields, lossCounts)

export const headlineBlock = { meaning: 'the same counts for content alone: what tables show', part: true }
export const namedBlock = { meaning: 'the same counts for paths, urls, errors, ids and targets', part: true }

export const referencesBlock = {
  meaning: 'later uses of what had left the window: docs/references.md. Exposure, not failure',
  optional: true,
}

export const rereadFields: readonly Field<Rereads>[] = lessIsBetter([
  own('refresh', 'refreshed', 'count', 'the target was written since, or the result differs'),
  own('redundant', 'redundant', 'count', 'unchanged, and a copy is still inside'),
  own('fault', 'refetched', 'count', 'unchanged, and the copy has left the window', {
    rank: 6,
    quiet: true,
    tone: 'bad',
  }),
  own('faultTokens', 'refetched tokens', 'tokens', 'tokens of the results that faults fetched again'),
  own(
    'known',
    'read again',
    'count',
    'reads of a file or url that had been read before, whatever the tool and the lines',
  ),
  own('foretold', 'foretold', 'count', 'those of them of which nothing that had been read was inside'),
])

const copiedFields: readonly Field<CopiedCounts>[] = lessIsBetter([
  own('requests', 'copying', 'count', 'requests that copied text from earlier messages into what they sent to tools'),
  own(
    'lost',
    'copies lost',
    'count',
    'those of these requests of whose copied text at least a quarter is gone from the window',
  ),
  {
    key: 'lostPercent',
    header: 'copies lost',
    unit: 'percent',
    meaning: 'lost / requests',
    value: ({ requests, lost }) => percent(lost, requests),
    share: ({ requests, lost }) => ({ part: lost, whole: requests }),
  },
  {
    key: 'gonePercent',
    header: 'copied gone',
    unit: 'percent',
    meaning: 'the mean share of what a request copied that is gone',
    value: ({ requests, shares }) => percent(shares, requests * 1e6),
  },
])

const copiedTextFields: readonly Field<CopiedText>[] = [
  ...(copiedFields as readonly Field<CopiedText>[]),
  ...within<CopiedText, CopiedCounts>(
    'floor',
    {
      meaning:
        'the same counts of what looks lost in the windows that the agent really had, of what it could have copied from the whole history',
      part: true,
    },
    copiedFields,
  ),
]

const kindMeanings: Readonly<Record<CopyKind, string>> = {
  edit: 'edits and patches: the text that they replace, and what they put there',
  file: 'files that are written as a whole',
  command: 'commands',
  prose: 'all else that is sent to tools: tasks, plans, messages, questions',
}

export const copiedBlock = {
  meaning: 'text that the agent copied from the windows that it really had; only with `--why`, or by reference',
  optional: true,
}
export const copiedColumns: readonly Field<Copied>[] = [
  ...(copiedTextFields as readonly Field<Copied>[]),
  ...within<Copied, CopiedText>(
    'shown',
    {
      meaning: 'the same counts, of programs for which the measure passes its test (docs/truth.md): what tables show',
      part: true,
    },
    copiedTextFields.map((field) =>
      field.key === 'lostPercent' ? { ...field, rank: 5, quiet: true, tone: 'bad' as const } : field,
    ),
  ),
  ...within<Copied, Copied['byKind']>(
    'byKind',
    {
      meaning:
        'the same counts by what was copied into; a request counts in a kind if a quarter of what went into that kind is gone',
      part: true,
    },
    copyKinds.flatMap((kind) =>
      within<Copied['byKind'], CopiedText>(kind, { meaning: kindMeanings[kind], part: true }, copiedTextFields),
    ),
  ),
  own(
    'unjudged',
    'not judged',
    'count',
    'transcripts of which nobody knows what stood in the windows that the agent really had: a summary cannot be read, or there is too much text',
    lower,
  ),
]

export const partlyLostField = own<{ readonly partlyLost: number }>(
  'partlyLost',
  'partly lost',
  'count',
  'uses of content of which some was inside the window, and not all',
  lower,
)

export const referenceFields: readonly Field<References>[] = [
  ...(lossFields as readonly Field<References>[]),
  ...within<References, References['byClass']>(
    'byClass',
    { meaning: 'the same counts by class of term', part: true },
    termClasses.flatMap((name) =>
      within<References['byClass'], LossCounts>(name, { meaning: `of the class ${name}`, part: true }, lossCountFields),
    ),
  ),
  own('exchangesHit', 'exchanges hit', 'count', 'exchanges with a loss, in either tier', lower),
  partlyLostField,
  ...within<References, Rereads>(
    'rereads',
    {
      meaning:
        'fetches of what had been fetched before: by the same tool in the same lines, or, where it says so, at all',
    },
    rereadFields,
  ),
  ...within<References, Losses>('headline', headlineBlock, lossFields),
  ...within<References, Losses>('named', namedBlock, lossFields),
  ...within<References, Losses>(
    'warm',
    { meaning: 'only the requests after the window was first pruned', part: true },
    lossFields,
  ),
  ...within<References, Copied>('copied', copiedBlock, copiedColumns),
]

export const boundFields: readonly Field<PolicyBounds>[] = lessIsBetter([
  own('lost', 'lost at least', 'count', 'the fewest uses of content that a policy within the budget can lose'),
  own(
    'paid',
    'paid at least',
    'money',
    'the least that input and summaries can cost under a policy within the budget that loses no more uses of content than this one',
  ),
  own(
    'preamble',
    'preamble costs',
    'money',
    'what the system prompt and the tools alone cost, read from the cache wherever they can be: no policy pays less',
  ),
])
export const boundsBlock = {
  meaning: 'only of clairvoyant, which knows the future: what no policy can be below (docs/policies.md)',
  optional: true,
}

export const lostReferenceFields: readonly Field<LostReference>[] = [
  own('request', 'request', 'ordinal', 'the one whose window it was gone from', { rank: 1 }),
  own('line', 'line', 'count', 'of the message that uses it', { rank: 0 }),
  own('sourceLine', 'source line', 'count', 'of its latest source; null where the agent alone had said it', {
    nullable: true,
    rank: 3,
  }),
  own('class', 'class', 'text', 'what kind of thing it is', { rank: 0, values: [...termClasses, 'copied'] }),
  own('kind', 'kind', 'text', 'of what was copied: what it was copied into; null for all else', {
    values: [...copyKinds],
    nullable: true,
    rank: 4,
  }),
  own(
    'term',
    'term',
    'text',
    'the thing; of content and of what was copied the file or target that the text is of, null where nothing says',
    { nullable: true, rank: 0, path: true },
  ),
  own(
    'tier',
    'tier',
    'text',
    '`source`: it had a source, and none is inside; `mention`: it had none, and no mention is inside',
    { values: ['source', 'mention'], rank: 4 },
  ),
]
