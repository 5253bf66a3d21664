/**
 * Which columns a table leaves out first where room runs out, and which it shows at all. A table of room for everything shows
 * all; the narrower it is, the fewer, and those of rank 0 stay.
 */
import { describe, expect, it } from 'vitest'
import * as calibrated from '../../src/reports/calibrated.ts'
import type { Column } from '../../src/reports/column.ts'
import { agentColumns } from '../../src/reports/columns/agents.ts'
import { shownCompactionColumns } from '../../src/reports/columns/compactions.ts'
import { exchangeColumns } from '../../src/reports/columns/exchange.ts'
import { lossColumns, rowColumns } from '../../src/reports/columns/rows.ts'
import { runColumns } from '../../src/reports/columns/run.ts'
import * as spending from '../../src/reports/columns/spending.ts'
import { totalColumns } from '../../src/reports/columns/total.ts'
import { dependenceColumns } from '../../src/reports/dependence.ts'
import * as probe from '../../src/reports/probe.ts'
import { qualityColumns } from '../../src/reports/quality.ts'
import { candidateColumns } from '../../src/reports/recommendation.ts'
import { listedColumns } from '../../src/reports/session-list.ts'
import { tunedColumns } from '../../src/reports/tuning.ts'

/** "0 file? · 1 title": by rank; `?` where it is left out while it says nothing, `/` for paths, `¶` for prose, `!` where it is not cut, `+`/`-` for what is good or bad above zero. */
function orderOf(columns: readonly Column<never>[]): string {
  const shown = columns.filter(({ rank }) => rank !== undefined)
  const ranks = [...new Set(shown.map(({ rank }) => rank as number))].sort((a, b) => a - b)
  return ranks.map((rank) => [rank, ...shown.filter((column) => column.rank === rank).map(nameOf)].join(' ')).join('\n')
}
const nameOf = ({ key, quiet, path, wraps, uncut, tone }: Column<never>): string =>
  [key, quiet && '?', path && '/', wraps && '¶', uncut && '!', tone && { good: '+', bad: '-' }[tone]]
    .filter(Boolean)
    .join('')

describe('the order of columns', () => {
  const print = (columns: readonly unknown[]) => orderOf(columns as readonly Column<never>[])

  it('of runColumns', () => {
    expect(print(runColumns)).toMatchInlineSnapshot(`
      "0 transcript/ policy budget estimator
      1 sentTokens
      3 cuts
      5 copyOf?/ fullTokens believedTokens? references.copied.shown.lostPercent?-
      6 requests damagedLines?- references.rereads.fault?-
      7 peakTokens overWindowRequests? thinkingLostTokens? cost.cacheHitPercent spent.input?
      8 exchanges foresight.meanAbsolutePercent? cost.summaries? cost.prefixBreaks?
      9 messages requestsElsewhere? cost.recordedHitPercent? spent.usd?
      10 model
      11 format
      12 preambleTokens unknownHistoryTokens?
      13 preambleSource"
    `)
  })
  it('of rowColumns', () => {
    expect(print(rowColumns)).toMatchInlineSnapshot(`
      "0 transcript/ policy budget estimator exchange
      1 request sentTokens
      3 overBudgetRequests?-
      4 savedTokens
      5 fullTokens
      6 line
      7 peakTokens
      8 requests"
    `)
  })
  it('of lossColumns', () => {
    expect(print(lossColumns)).toMatchInlineSnapshot(`
      "0 transcript/ policy budget estimator line class term/
      1 request
      3 sourceLine
      4 kind tier"
    `)
  })
  it('of totalColumns', () => {
    expect(print(totalColumns)).toMatchInlineSnapshot(`
      "0 policy budget estimator
      1 sentTokens
      5 fullTokens
      7 spent.input?
      8 cost.summaries? cost.prefixBreaks?
      9 spent.usd?"
    `)
  })
  it('of exchangeColumns', () => {
    expect(print(exchangeColumns)).toMatchInlineSnapshot(`
      "0 exchange tokens title
      1 transcript?/
      2 state
      3 toolCalls
      4 firstLine
      5 messages
      6 requests
      7 lastLine
      8 conversation?"
    `)
  })
  it('of candidateColumns', () => {
    expect(print(candidateColumns)).toMatchInlineSnapshot(`"0 setting¶ budget verdict paid"`)
  })
  it('of qualityColumns', () => {
    expect(print(qualityColumns)).toMatchInlineSnapshot(`
      "0 endpoint from to difference low high
      1 of level sessions
      2 observations fitted
      3 unit"
    `)
  })
  it('of tunedColumns', () => {
    expect(print(tunedColumns)).toMatchInlineSnapshot(`
      "0 kind setting¶ budget changePercent contentPercent namesPercent
      1 paid fits
      2 front"
    `)
  })
  it('of listedColumns', () => {
    expect(print(listedColumns)).toMatchInlineSnapshot(`
      "0 id/ project/ model title usd
      1 missed.usd? percent?
      2 requests
      3 largestPrompt
      4 format unpricedRequests?
      5 requestsWithoutUsage? missed.requests?
      6 missed.tokens?
      7 tokens.input?
      8 tokens.cacheRead?
      9 tokens.cacheWrite?
      10 tokens.cacheWrite1h?
      11 tokens.output?"
    `)
  })
  it('of dependenceColumns', () => {
    expect(print(dependenceColumns)).toMatchInlineSnapshot(`"0 policy budget outside part inside"`)
  })
  it('of probeColumns', () => {
    expect(print(probe.probeColumns)).toMatchInlineSnapshot(`
      "0 by kind probes across floor difference low? high?
      1 clusters
      3 method"
    `)
  })
  it('of plannedColumns', () => {
    expect(print(probe.plannedColumns)).toMatchInlineSnapshot(`
      "0 file/ planned cached? cold?
      1 losing summaries?
      2 requests differing"
    `)
  })
  it('of calibratedColumns', () => {
    expect(print(calibrated.calibratedColumns)).toMatchInlineSnapshot(`
      "0 transcript/ estimator! foresight.meanAbsolutePercent?
      1 worstLine worstPercent
      2 foresight.requests foresight.biasPercent
      3 requests
      5 preambleTokens
      6 tokensPerByte
      7 withoutUsage? afterCut? asides?
      8 inputTokens
      9 model foresightTest"
    `)
  })
  it('of calibrationSummaryColumns', () => {
    expect(print(calibrated.calibrationSummaryColumns)).toMatchInlineSnapshot(`
      "0 estimator median p90 worst
      1 transcripts requests"
    `)
  })
  it('of billColumns', () => {
    expect(print(calibrated.billColumns)).toMatchInlineSnapshot(`
      "0 format cache offPercent within5Percent
      1 spent modelled medianPercent
      2 transcripts
      3 within10Percent"
    `)
  })
  it('of projectColumns', () => {
    expect(print(spending.projectColumns)).toMatchInlineSnapshot(`
      "0 project/ usd
      1 missed.usd? percent?
      2 requests
      4 unpricedRequests?
      5 missed.requests?
      6 missed.tokens?
      7 tokens.input?
      8 tokens.cacheRead?
      9 tokens.cacheWrite?
      10 tokens.cacheWrite1h?
      11 tokens.output?"
    `)
  })
  it('of modelColumns', () => {
    expect(print(spending.modelColumns)).toMatchInlineSnapshot(`
      "0 model usd
      1 missed.usd? percent?
      2 requests
      4 unpricedRequests?
      5 missed.requests?
      6 missed.tokens?
      7 tokens.input?
      8 tokens.cacheRead?
      9 tokens.cacheWrite?
      10 tokens.cacheWrite1h?
      11 tokens.output?"
    `)
  })
  it('of dayColumns', () => {
    expect(print(spending.dayColumns)).toMatchInlineSnapshot(`
      "0 day usd
      1 missed.usd? percent?
      2 requests
      4 unpricedRequests?
      5 missed.requests?
      6 missed.tokens?
      7 tokens.input?
      8 tokens.cacheRead?
      9 tokens.cacheWrite?
      10 tokens.cacheWrite1h?
      11 tokens.output?"
    `)
  })
  it('of shownSessionColumns', () => {
    expect(print(spending.shownSessionColumns)).toMatchInlineSnapshot(`
      "0 usd title
      1 percent? day?
      2 requests
      3 largestPrompt curve! format
      4 project/
      5 requestsWithoutUsage? model"
    `)
  })
  it('of kindColumns', () => {
    expect(print(spending.kindColumns)).toMatchInlineSnapshot(`
      "0 kind tokens usd
      1 percent?"
    `)
  })
  it('of partColumns', () => {
    expect(print(spending.partColumns)).toMatchInlineSnapshot(`
      "0 part tool carriedTokens usd percent?
      1 server? amplification
      2 tokens tokensPercent
      3 count"
    `)
  })
  it('of toolColumns', () => {
    expect(print(spending.toolColumns)).toMatchInlineSnapshot(`
      "0 tool carriedTokens usd percent?
      1 server? amplification
      2 tokens tokensPercent
      3 count"
    `)
  })
  it('of definitionColumns', () => {
    expect(print(spending.definitionColumns)).toMatchInlineSnapshot(`
      "0 tool calls carriedTokens usd percent?
      1 server? amplification
      2 tokens tokensPercent
      3 count"
    `)
  })
  it('of resultColumns', () => {
    expect(print(spending.resultColumns)).toMatchInlineSnapshot(`
      "0 transcript/ line tool carriedTokens usd percent?
      1 server? requests tokens"
    `)
  })
  it('of causeColumns', () => {
    expect(print(spending.causeColumns)).toMatchInlineSnapshot(`
      "0 cause requests tokens usd percent?
      1 tokensPercent"
    `)
  })
  it('of shownCompactionColumns', () => {
    expect(print(shownCompactionColumns)).toMatchInlineSnapshot(`
      "0 transcript?/ request tokensBefore tokensAfter
      1 usd again heldContent
      2 summaryUsd? againBefore againUsd
      3 line percent? heldCopied
      4 format? rewrittenTokens rewrittenUsd againRequests
      6 time"
    `)
  })
  it('of agentColumns', () => {
    expect(print(agentColumns)).toMatchInlineSnapshot(`
      "0 caller?/ callLine requests usd
      1 workTokens returnedTokens inlineUsd
      2 contextTokens
      3 transcript?/ percent?
      4 model behindRequests
      5 format?
      6 joinedBy"
    `)
  })
  it('of missColumns', () => {
    expect(print(spending.missColumns)).toMatchInlineSnapshot(`
      "0 transcript/ line cause tokens usd percent?
      1 pause
      2 request"
    `)
  })
})
