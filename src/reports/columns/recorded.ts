/** The columns of recorded usage, and of how near an estimator comes to it that has not seen it. */
import {
  type Foresight,
  foresightTests,
  intervalBases,
  type PredictionInterval,
  type RecordedUsage,
  type Run,
} from '../../model/run.ts'
import { type Field, own, within } from '../column.ts'
import { lessIsBetter } from './directions.ts'

export const recordedFields: readonly Field<RecordedUsage>[] = lessIsBetter([
  own('requests', 'compared', 'count', 'requests with recorded usage that can be compared'),
  own('inputTokens', 'recorded', 'tokens', 'the total that the provider counted for them'),
  own(
    'unexplainedCuts',
    'unexplained',
    'count',
    'times that the context shrank and nothing recorded says why; `as-recorded` lets the oldest results go there',
    { quiet: true },
  ),
])

const foresightFields: readonly Field<Foresight>[] = lessIsBetter([
  own('requests', 'unseen', 'count', 'requests that were predicted, their usage kept from the count'),
  own('meanAbsolutePercent', 'unseen off %', 'percent', 'mean of the absolute error per such request', {
    rank: 8,
    quiet: true,
  }),
  own('biasPercent', 'unseen bias %', 'percent', '(predicted − recorded) / recorded, over the sums'),
])

const intervalFields: readonly Field<PredictionInterval>[] = [
  own(
    'basis',
    'expected by',
    'text',
    '`transcript`: by its own foresight; `own`, `format`, `all`: by the user’s other sessions, or others’ of the format, or of any',
    { values: [...intervalBases] },
  ),
  own('transcripts', 'expected of', 'count', 'transcripts of which it was taken', { quiet: true }),
  own(
    'lowPercent',
    'expected from %',
    'percent',
    'the error of the prediction: one request in twenty has a lower one',
    { least: Number.NEGATIVE_INFINITY },
  ),
  own(
    'highPercent',
    'expected to %',
    'percent',
    'the error of the prediction: one request in twenty has a higher one',
    { least: Number.NEGATIVE_INFINITY },
  ),
]

export const foresightColumns: readonly Field<Pick<Run, 'foresight' | 'foresightTest' | 'predictionInterval'>>[] = [
  ...within<Pick<Run, 'foresight'>, Foresight>(
    'foresight',
    {
      meaning: 'how near the estimator comes to usage that it has not seen: null where that cannot be tested',
      nullable: true,
    },
    foresightFields,
  ),
  own(
    'foresightTest',
    'unseen is',
    'text',
    '`cut`: what is behind the first cut; `half`: the second half, where nothing was cut; else why there is no test',
    { values: [...foresightTests] },
  ),
  ...within<Pick<Run, 'predictionInterval'>, PredictionInterval>(
    'predictionInterval',
    {
      meaning:
        'where nine of ten requests are that the estimator has not seen, or of the whole run where no usage is recorded: null if that was not measured for it',
      nullable: true,
    },
    intervalFields,
  ),
]
