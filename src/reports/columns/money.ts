/** The columns of money: what a run costs, what was billed, and what a run saves against what the agent did itself. */
import type { Cost, Spent, Today } from '../../model/run.ts'
import { type Field, own, showAs } from '../column.ts'
import { promptGoneField } from './cuts.ts'
import { higher, lessIsBetter, lower } from './directions.ts'

export const costFields: readonly Field<Cost>[] = [
  own('unit', 'cost unit', 'text', "`usd`, or `input-token-equivalents` where the model's price is unknown", {
    values: ['usd', 'input-token-equivalents'],
  }),
  own('pricesAsOf', 'prices of', 'text', 'the date of the oldest source of the prices'),
  own('paid', 'paid', 'money', 'input + summaries: what the policy decides about', lower),
  own('input', 'input cost', 'money', 'all input through the prompt cache', { ...lower, shownAs: 'cost' }),
  own('inputFull', 'cost unpruned', 'money', 'the same without pruning', lower),
  own('output', 'output cost', 'money', 'output as recorded, else estimated; the same for every policy', lower),
  own('summaries', 'summaries cost', 'money', 'what it costs to write summaries', { ...lower, rank: 8, quiet: true }),
  own(
    'savedPercent',
    'cost saved %',
    'percent',
    '(inputFull − input − summaries) / inputFull; negative when pruning loses money',
    higher,
  ),
  own('cacheHitPercent', 'hit %', 'percent', 'tokens read from the cache / tokens sent', { ...higher, rank: 7 }),
  own('cacheHitPercentFull', 'hit unpruned %', 'percent', 'the same without pruning', higher),
  own('prefixBreaks', 'breaks', 'count', 'requests that do not begin with the whole of the request before', {
    ...lower,
    rank: 8,
    quiet: true,
  }),
  own(
    'recordedHitPercent',
    'hit recorded %',
    'percent',
    "the hit rate that the provider recorded for the agent's own requests",
    { ...higher, rank: 9, quiet: true, optional: true },
  ),
]
export const spentFields: readonly Field<Spent>[] = lessIsBetter([
  own('usd', 'billed', 'money', 'input, output and beside, in US dollars', { rank: 9, quiet: true }),
  own('input', 'input billed', 'money', 'of the input alone: what `today.costInput` is held against', {
    rank: 7,
    quiet: true,
  }),
  own('output', 'output billed', 'money', 'of the output alone'),
  own(
    'beside',
    'billed beside',
    'money',
    'of calls outside the conversation: turns that were taken back, advice of another model, summaries, requests of which only the sum is recorded',
  ),
  own('requests', 'billed requests', 'count', 'requests with recorded usage; the others are no part of it'),
  own('sideCalls', 'side calls', 'count', 'calls outside the conversation'),
  own(
    'estimatedOutputs',
    'outputs estimated',
    'count',
    'those of which less output is recorded than can be seen: it is estimated',
  ),
  own(
    'cacheForeseen',
    'cache foreseen',
    'count',
    'requests whose hit or miss in the cache usual habits foretell; of the other four: those that they do not',
    higher,
  ),
  own('cacheAtStart', 'cache at start', 'count', 'at the first request'),
  own('cacheAfterPause', 'cache after pause', 'count', "after a pause of more than half the cache's lifetime"),
  own('cacheAtPrompt', 'cache at prompt', 'count', 'at a prompt at which the model drops its reasoning'),
  own('cacheUnexplained', 'cache unexplained', 'count', 'at all other requests'),
])
export const spentBlock = {
  meaning:
    'what the provider billed: recorded usage at the prices of the time of each request; null where none is recorded, where it leaves out the cache, or a model has no known price',
  nullable: true,
}

export const todayFields: readonly Field<Today>[] = lessIsBetter([
  own('sentTokens', 'sent today', 'tokens', 'sum over the requests'),
  own('costInput', 'cost today', 'money', 'all input through the prompt cache'),
  own('summaries', 'summaries today', 'money', 'the calls that wrote its summaries'),
  own('headlineLost', 'lost today', 'count', 'uses of content that found it gone', { optional: true }),
  own('headlineTotal', 'uses today', 'count', 'uses of content that had a source; absent likewise', { optional: true }),
  own(
    'headlineLostOver',
    'lost over today',
    'count',
    'lost under the policy − lost today; negative when it loses fewer',
    { optional: true, least: Number.NEGATIVE_INFINITY },
  ),
  own('overWindowRequests', 'over model today', 'count', "requests that are over the model's context window"),
  showAs(promptGoneField, { header: 'prompt gone today' }),
  own('savedTokens', 'saved on today', 'tokens', 'sent today − sent; negative when the policy sends more', {
    ...higher,
    least: Number.NEGATIVE_INFINITY,
  }),
  own('savedPercent', 'saved on today %', 'percent', 'that, of what is sent today', higher),
  own(
    'costSaved',
    'cost saved on today',
    'money',
    'input and summaries today − under the policy; negative when dearer',
    { ...higher, least: Number.NEGATIVE_INFINITY },
  ),
  own('costSavedPercent', 'cost saved on today %', 'percent', 'that, of what today costs', {
    ...higher,
    shownAs: 'vs today',
  }),
])
export const todayBlock = {
  meaning:
    'what the recorded agent did itself, replayed in the same model (as-recorded), and what the run saves against it; in the unit of `cost`',
}

export const costMeaning = 'money through the prompt cache: docs/cost.md'
