#!/usr/bin/env node
/**
 * Measures how programs and models are sent their earlier reasoning again: the rows of src/model/thoughts.ts.
 *
 *   npm run build && node tools/fit/thoughts.mjs [FOLDER…]
 *
 * Reasoning is the recorded output of a response beyond the estimate of what is visible of it. Between two requests the
 * input grew by what was added, and by the share of the reasoning that is sent again: `within` an exchange that of the
 * response in between, and `behind` the next user message that of all the exchange, of which the earlier responses were in
 * the input already. A share is the one with the least sum of absolute errors, its deviation the middle one of the pairs,
 * as a standard deviation. Pairs with little reasoning, pictures, or a cut in between are left out.
 */
import { ownerOf } from '../../bench/truth/manifest.mjs'
import { filesIn } from '../../bench/truth/transcripts.mjs'
import { CtxwinError, openFile } from '../../dist/app/index.js'
import { familyMeter } from '../../dist/estimators/family-meter.js'
import { familyOf } from '../../dist/model/families.js'
import { thoughtsOf } from '../../dist/model/thoughts.js'
import { readTranscripts } from '../../dist/readers/read.js'

/** The least reasoning that the estimate's error leaves visible: in tokens, and for a token of what was added. */
const least = { tokens: 200, share: 0.2 }
/** Of a sum of fewer pairs nothing is printed. */
const fewest = 4

const groups = new Map()
const seen = new Set()

const isVisible = ({ type }) => type !== 'thinking' && type !== 'opaque'
const isPicture = ({ type }) => type === 'image' || type === 'document'

/** By message: the estimate of what is visible of it; NaN where pictures would decide it. */
function visibleOf(trace, meter) {
  const joins = meter.joins(trace.preamble)
  return trace.messages.map((message, index) => {
    if (message.blocks.some(isPicture)) return Number.NaN
    const size = meter.message({ ...message, blocks: message.blocks.filter(isVisible) })
    return size + joins(index, trace.shape(index))
  })
}

function take(trace, owner) {
  const { format, model } = trace.head
  const visible = visibleOf(trace, familyMeter(familyOf(model ?? '').family, model))
  const cuts = [...trace.compactions, ...trace.clearings].map(({ at }) => at)
  /** Of the responses of the exchange so far; NaN where one is not known. */
  let earlier = 0
  for (let request = 0; request + 1 < trace.requests; request++) {
    const [before, after] = [trace.usage(request), trace.usage(request + 1)]
    const [from, to] = [trace.requestAt(request), trace.requestAt(request + 1)]
    let added = 0
    let [isPrompt, isCut] = [false, cuts.some((at) => at > from && at <= to)]
    // A user message behind a call interrupts, and nothing is dropped there.
    const isAnswer = !trace.messages[from].blocks.some(({ type }) => type === 'call')
    for (let index = from; index < to; index++) {
      added += visible[index]
      isPrompt ||= isAnswer && trace.isPrompt(index)
      isCut ||= index > from && trace.isReset(index)
    }
    const output = before?.output ?? 0
    // Many sessions record only the first figure of a stream.
    const hidden = output >= 0.8 * visible[from] ? Math.max(0, output - visible[from]) : Number.NaN
    const all = earlier + hidden
    const [reasoning, sentBefore] = isPrompt ? [all, earlier] : [hidden, 0]
    const isKnown = before && after && !isCut && Number.isFinite(added + reasoning)
    const name = trace.requestModel(request) ?? 'unknown'
    const key = [before?.input, output, after?.input].join()
    const grown = (after?.input ?? 0) - (before?.input ?? 0) - added
    if (isKnown && reasoning >= Math.max(least.tokens, least.share * added) && !seen.has(key)) {
      seen.add(key)
      const row = thoughtsOf({ program: format, model: name })
      for (const group of [`${format} ${name.toLowerCase()}`, row]) {
        if (!groups.has(group)) groups.set(group, { row, within: [], behind: [] })
        groups.get(group)[isPrompt ? 'behind' : 'within'].push({ owner, reasoning, sentBefore, grown })
      }
    }
    earlier = isPrompt || isCut ? 0 : all
  }
}

/** The value at which half of the weight lies below. */
function weightedMedian(values) {
  const sorted = values.toSorted(([a], [b]) => a - b)
  let left = sorted.reduce((sum, [, weight]) => sum + weight, 0) / 2
  for (const [value, weight] of sorted) {
    left -= weight
    if (left <= 0) return value
  }
  return Number.NaN
}

/** @param share of the reasoning that the earlier responses' had in the input already */
function shareOf(pairs, share) {
  const each = pairs.map(({ grown, sentBefore, reasoning }) => [(grown + share * sentBefore) / reasoning, reasoning])
  const middle = weightedMedian(each)
  const deviation = 1.4826 * weightedMedian(each.map(([value, weight]) => [Math.abs(value - middle), weight]))
  return { middle, deviation, n: pairs.length, owners: new Set(pairs.map(({ owner }) => owner)).size }
}

const shown = ({ middle, deviation, n, owners }) =>
  n < fewest ? `(n ${n})` : `${middle.toFixed(2)} ± ${deviation.toFixed(2)} (n ${n}, owners ${owners})`

for (const file of filesIn(process.argv.slice(2))) {
  try {
    await readTranscripts(openFile(file), { format: 'auto', sizersFor: () => [], keepMessages: true }, (trace) =>
      take(trace, ownerOf(file)),
    )
  } catch (error) {
    if (!(error instanceof CtxwinError)) throw error
  }
}
const named = (group) => (typeof group === 'string' ? group : `ROW ${group.program ?? 'any'} ${group.model ?? 'any'}`)
for (const [group, { row, within, behind }] of [...groups].sort(([a], [b]) => named(a).localeCompare(named(b), 'en'))) {
  const found = shareOf(within, 0)
  const share = within.length < fewest ? row.tau : found.middle
  const { n, owners } = shareOf([...within, ...behind], 0)
  const cells = [`within ${shown(found)}`, `behind ${shown(shareOf(behind, share))}`, `n: ${n}, owners: ${owners}`]
  console.log([named(group), `table: ${row.after} ${row.tau}`, ...cells].join('\t'))
}
