/**
 * What was spent, from recorded usage: a page for each transcript, and the ledger to which pages are added, with the sums,
 * the dearest tool results and cache misses.
 */
import { peaksOf } from '../../base/peaks.ts'
import type { AgentCalls } from '../../measures/agent-calls.ts'
import { tellsReads } from '../../measures/cache-behaviour.ts'
import { sharesOf } from '../../measures/carried.ts'
import { rounded } from '../../measures/cost.ts'
import { missesOf } from '../../measures/misses.ts'
import { type CostTally, recordedCost, tallyOf, together } from '../../measures/recorded-cost.ts'
import { type BilledCall, type BilledRequest, inputCost, requestsWithoutUsage } from '../../measures/spent.ts'
import type { ToolNames } from '../../measures/tool-names.ts'
import { type CallsByTerm, callsByTerm, type PriceTerm, termCalls } from '../../model/price-terms.ts'
import { percent } from '../../model/run.ts'
import {
  type AgentSpending,
  type ByKind,
  type CellSpending,
  type CompactionSpending,
  type DefinitionSpending,
  type InputPart,
  type MissCause,
  type MissSpending,
  missCauses,
  type PartSpending,
  type RecordedCost,
  type ResultSpending,
  type SessionSpending,
  type Spending,
  type SpendingPart,
  type SpendingSum,
  type ToolSpending,
  tokenKinds,
} from '../../model/spending.ts'
import type { SideCall, Trace, TranscriptHead } from '../../model/trace.ts'
import type { ModelTable } from '../../models/table.ts'
import { definedTools } from '../../providers/tool-spec.ts'
import { projectNames } from '../../reports/project-names.ts'
import type { Case } from '../../simulator/case.ts'
import { triggerIn } from '../answer/present.ts'
import { thresholdMoves } from '../answer/threshold-moves.ts'
import { Foremost } from '../foremost.ts'
import { caseOf, type Plan } from '../plan.ts'
import { type AgentPage, agentPageOf, agentRows, noAgent } from './agent-spending.ts'
import { bySession, momentsOf, periodOf } from './by-session.ts'
import { type CompactionRow, compactionsOf, noCompaction } from './compaction-spending.ts'
import { compactionSums } from './compaction-sums.ts'
import { type Amounts, billionthsOf, dollars, Sum } from './spending-sum.ts'
import { type Billed, billedOf, sumOf } from './transcript-bill.ts'

export interface Cell extends Pick<CellSpending, 'cwd' | 'model' | 'day'> {
  readonly sum: Sum
}

type Place = Pick<PartSpending, 'part' | 'tool' | 'server'>
export interface Part extends Place {
  count: number
  /** Of definitions: calls of their tools. */
  calls: number
  tokens: number
  carriedTokens: number
  usd: number
}

/** What is known of a transcript as a part of its session. */
export interface OfSession extends Pick<SessionSpending, 'title' | 'requestsWithoutUsage' | 'promptCurve'> {
  readonly head: TranscriptHead
  /** When the first and the last response were recorded; not finite where no time is. */
  readonly first: number
  readonly last: number
  /** Tokens of the window that the agent compacted by itself; null where it did not. */
  readonly trigger: number | null
  readonly sum: Amounts
}

/** Its share of all that was spent is known when all is. */
export type Result = Omit<ResultSpending, 'percent'>
export type Miss = Omit<MissSpending, 'percent'>

/** What was recorded that calls of a program to a model cost. */
export interface CostRow extends Pick<RecordedCost, 'format' | 'model'> {
  readonly tally: CostTally
}

/** What is known of some transcripts, as plain data. */
export interface Page {
  readonly transcripts: number
  readonly withoutUsage: number
  /** Of the history, whether their usage is recorded or not. */
  readonly allRequests: number
  /** Of the other transcripts. */
  readonly requestsWithoutUsage: number
  /** Requests that count elsewhere. */
  readonly repeated: number
  readonly estimatedOutputs: number
  /** Transcripts whose usage leaves out what was read from the cache. */
  readonly withoutReads: number
  readonly terms: CallsByTerm
  readonly recordedCosts: readonly CostRow[]
  readonly cells: readonly (Omit<Cell, 'sum'> & { readonly sum: Amounts })[]
  readonly parts: readonly Readonly<Part>[]
  readonly causes: readonly (readonly [cause: MissCause, sum: Amounts])[]
  readonly results: readonly Result[]
  readonly misses: readonly Miss[]
  readonly compactions: readonly CompactionRow[]
  readonly agents: readonly AgentPage[]
  readonly sessions: readonly OfSession[]
}

/** The page of whole transcripts if another file has them, too. */
export function copiedPage({ cells, repeated, transcripts, withoutUsage }: Page): Page {
  const billed = cells.reduce((count, { sum }) => count + sum.requests, 0)
  const nothing = {
    allRequests: 0,
    requestsWithoutUsage: 0,
    estimatedOutputs: 0,
    withoutReads: 0,
    terms: [],
    recordedCosts: [],
    cells: [],
    parts: [],
    causes: [],
    results: [],
    misses: [],
    compactions: [],
    agents: [],
    sessions: [],
  }
  return { transcripts, withoutUsage, repeated: repeated + billed, ...nothing }
}

export class Ledger {
  readonly #plan: Plan
  readonly #table: ModelTable
  readonly #most: number
  readonly #cells = new Map<string, Cell>()
  readonly #parts = new Map<string, Part>()
  readonly #causes = new Map<MissCause, Sum>()
  readonly #results: Foremost<Result>
  readonly #misses: Foremost<Miss>
  readonly #compactions: CompactionRow[] = []
  readonly #agents: AgentPage[] = []
  readonly #sessions: OfSession[] = []
  #transcripts = 0
  #withoutUsage = 0
  #allRequests = 0
  #requestsWithoutUsage = 0
  #repeated = 0
  #estimatedOutputs = 0
  #withoutReads = 0
  #terms: CallsByTerm = []
  readonly #recordedCosts = new Map<string, CostRow>()

  /**
   * @param plan its first estimator counts
   * @param most how many of the dearest results and misses are kept
   */
  constructor(plan: Plan, table: ModelTable, most: number) {
    this.#plan = plan
    this.#table = table
    this.#most = most
    this.#results = new Foremost(
      most,
      dearest((one) => one.carriedTokens),
    )
    this.#misses = new Foremost(
      most,
      dearest((one) => one.tokens),
    )
  }

  /** An empty ledger for what may turn out not to count. */
  blank(): Ledger {
    return new Ledger(this.#plan, this.#table, this.#most)
  }

  /** All that was added, as one page. */
  page(): Page {
    return {
      transcripts: this.#transcripts,
      withoutUsage: this.#withoutUsage,
      allRequests: this.#allRequests,
      requestsWithoutUsage: this.#requestsWithoutUsage,
      repeated: this.#repeated,
      estimatedOutputs: this.#estimatedOutputs,
      withoutReads: this.#withoutReads,
      terms: this.#terms,
      recordedCosts: [...this.#recordedCosts.values()],
      cells: [...this.#cells.values()],
      parts: [...this.#parts.values()],
      causes: [...this.#causes],
      results: this.#results.sorted(),
      misses: this.#misses.sorted(),
      compactions: this.#compactions,
      agents: this.#agents,
      sessions: this.#sessions,
    }
  }

  add(page: Page): void {
    for (const { sum, cwd, model, day } of page.cells) this.#cell(cwd, model, day).merge(sum)
    for (const part of page.parts) this.#part(part, part.count, part, part.calls)
    for (const [cause, sum] of page.causes) this.#cause(cause).merge(sum)
    for (const result of page.results) this.#results.add(result)
    for (const miss of page.misses) this.#misses.add(miss)
    for (const compaction of page.compactions) this.#compactions.push(compaction)
    for (const agent of page.agents) this.#agents.push(agent)
    for (const session of page.sessions) this.#sessions.push(session)
    this.#transcripts += page.transcripts
    this.#withoutUsage += page.withoutUsage
    this.#allRequests += page.allRequests
    this.#requestsWithoutUsage += page.requestsWithoutUsage
    this.#repeated += page.repeated
    this.#estimatedOutputs += page.estimatedOutputs
    this.#withoutReads += page.withoutReads
    this.#terms = callsByTerm([...this.#terms, ...page.terms])
    for (const row of page.recordedCosts) this.#recordedCost(row)
  }

  /**
   * @param part a transcript without the requests that count elsewhere
   * @param names of the tools it calls
   * @param agents the sub-agents that it calls, where they are asked for
   */
  measure(part: Trace, names: ToolNames, agents: AgentCalls | null = null): Page {
    const ledger = this.blank()
    ledger.#take(part, names, agents)
    return ledger.page()
  }

  #take(part: Trace, names: ToolNames, agents: AgentCalls | null): void {
    const trace = part.whole
    this.#transcripts++
    const facts = caseOf(trace, this.#plan)
    const { sizes } = facts
    const bill = billedOf(part, sizes, null, this.#table)
    const { all: billed, counted } = bill
    this.#repeated += billed.size - counted.size + trace.sideCalls.length - part.sideCalls.length
    this.#allRequests += part.requests
    const withoutUsage = requestsWithoutUsage(part)
    if (billed.size + trace.sideCalls.length === 0) this.#withoutUsage++
    else this.#requestsWithoutUsage += withoutUsage
    const sum = sumOf(bill)
    this.#sessions.push({
      head: part.head,
      title: part.title,
      ...momentsOf(part),
      requestsWithoutUsage: withoutUsage,
      promptCurve: peaksOf(inputsOf(counted), stretches),
      trigger: triggerIn(part),
      sum,
    })
    this.#takeSideCalls(part, bill.beside)
    this.#takeRecordedCosts(part, bill)
    const rewritten = new Map<number, Miss>()
    if (counted.size > 0) this.#takeRequests(part, facts, bill, sum, names, rewritten)
    for (const row of compactionsOf(part, facts, bill, rewritten)) this.#compactions.push(row)
    if (agents) this.#agents.push(agentPageOf(part, sizes, bill, agents))
  }

  /** @param rewritten gets the misses that a compaction is the cause of, by request */
  #takeRequests(
    part: Trace,
    facts: Case,
    { all: billed, counted }: Billed,
    sum: Sum,
    names: ToolNames,
    rewritten: Map<number, Miss>,
  ): void {
    const trace = part.whole
    const { sizes } = facts
    if (!tellsReads(trace, facts.pricing, facts.context.provider)) this.#withoutReads++
    for (const one of counted.values()) {
      this.#cellOf(trace, one.request).add(one)
      if (one.estimatedOutput) this.#estimatedOutputs++
      this.#at(one.usage.terms, one)
    }
    const { file: transcript, conversation } = trace.head
    const inherited = (request: number): boolean => !counted.has(request)
    for (const miss of missesOf(trace, sizes, facts.pricing, billed, inherited)) {
      const { request, cause, tokens, usd } = miss
      if (inherited(request)) continue
      sum.miss(tokens, usd)
      this.#cellOf(trace, request).miss(tokens, usd)
      this.#cause(cause).miss(tokens, usd)
      const line = trace.line(trace.requestAt(request))
      const found = { transcript, conversation, line, ...miss, usd: usd === null ? null : rounded(usd) }
      this.#misses.add(found)
      if (cause === 'compaction') rewritten.set(request, found)
    }
    this.#share(trace, facts, counted, names)
  }

  #takeSideCalls(part: Trace, calls: readonly BilledCall[]): void {
    for (const [index, billed] of calls.entries()) {
      const { model, time, usage } = part.sideCalls[index] as SideCall
      this.#at(usage.terms, billed)
      this.#cell(part.head.cwd, model ?? part.head.model, dayOf(time)).addBeside(billed)
      const { output: _, ...input } = billed.tokens
      const tokens = Object.values(input).reduce((sum, count) => sum + count, 0)
      const usd = billed.cost === null ? 0 : inputCost(billed.cost)
      this.#part({ part: 'beside', tool: null, server: null }, billed.calls, { tokens, carriedTokens: tokens, usd })
    }
  }

  #takeRecordedCosts(part: Trace, { counted, beside }: Billed): void {
    const { format, model } = part.head
    const calls = [
      ...[...counted.values()].map((one) => ({
        ...{ one, usage: one.usage, model: part.whole.requestModel(one.request), tells: !one.estimatedOutput },
      })),
      ...beside.map((one, index) => {
        const call = part.sideCalls[index] as SideCall
        return { one, usage: call.usage, model: call.model ?? model, tells: true }
      }),
    ]
    // Programs write 0 for whatever a subscription pays.
    const paid = new Set(calls.flatMap(({ usage, model }) => ((usage.cost ?? 0) > 0 ? [model] : [])))
    for (const { one, usage, model, tells } of calls) {
      if (usage.cost === undefined || one.cost === null || !paid.has(model)) continue
      this.#recordedCost({ format, model, tally: tallyOf(one, one.cost, usage.cost, tells) })
    }
  }

  #recordedCost({ format, model, tally }: CostRow): void {
    const key = JSON.stringify([format, model])
    const known = this.#recordedCosts.get(key)
    this.#recordedCosts.set(key, { format, model, tally: known ? together(known.tally, tally) : tally })
  }

  /** By program and model, and by program of the sessions of which only the whole was recorded. */
  #costRows(): RecordedCost[] {
    const rows = new Map(this.#recordedCosts)
    for (const parts of bySession(this.#sessions, ({ head }) => head)) {
      const [{ head }] = parts as [OfSession]
      const sum = new Sum()
      for (const part of parts) sum.merge(part.sum)
      const isPartly = parts.some(({ requestsWithoutUsage }) => requestsWithoutUsage > 0)
      if (!head.cost || sum.unpriced > 0 || sum.requests === 0 || isPartly) continue
      const tokens = sum.tokens
      const cost = Object.fromEntries(tokenKinds.map((kind) => [kind, sum.billionths[kind] / 1e9])) as ByKind
      const tally = tallyOf({ calls: sum.requests, tokens, cost, pricedTerms: [] }, cost, head.cost, true)
      const key = JSON.stringify([head.format, null])
      const known = rows.get(key)
      rows.set(key, { format: head.format, model: null, tally: known ? together(known.tally, tally) : tally })
    }
    return [...rows.values()]
      .map(({ format, model, tally }) => recordedCost(tally, format, model))
      .sort(
        (a, b) => b.recordedUsd - a.recordedUsd || compareNames(a.format, b.format) || compareNames(a.model, b.model),
      )
  }

  #at(terms: readonly PriceTerm[] | undefined, { pricedTerms, calls }: BilledCall): void {
    if (terms) this.#terms = callsByTerm([...this.#terms, ...termCalls(terms, pricedTerms, calls)])
  }

  #share(trace: Trace, facts: Case, counted: ReadonlyMap<number, BilledRequest>, names: ToolNames): void {
    const { sizes } = facts
    const defined = definedTools(trace.preamble.tools ?? [])
    const units = defined.map(({ definition }) => facts.definition(definition))
    const { definitions, head, summaries, of } = sharesOf(trace, sizes, counted, units)
    const { file: transcript, conversation } = trace.head
    const isPriced = [...counted.values()].some(({ cost }) => cost !== null)
    const shareOut = (place: Place, tokens: number, share: typeof head): void =>
      this.#part(place, 1, { tokens, carriedTokens: share.tokens, usd: share.usd })
    const plain = { tool: null, server: null }
    const calls = callsOf(trace, names)
    let own = 0
    for (const [at, { name, server }] of defined.entries()) {
      const { tokens, usd, units: fitting } = definitions[at] as (typeof definitions)[number]
      own += fitting
      const place = { part: 'definition', ...namedTool(name, server, trace) } as const
      const figures = { tokens: sizes.tokens(fitting), carriedTokens: tokens, usd }
      this.#part(place, 1, figures, calls.get(name) ?? 0)
    }
    shareOut({ part: 'head', ...plain }, sizes.tokens(Math.max(0, sizes.preamble - own)), head)
    if (summaries.requests > 0) {
      const each = summaries.tokens / summaries.requests
      shareOut({ part: 'summary', ...plain }, each, summaries)
    }
    for (let message = 0; message < trace.length; message++) {
      const share = of(message)
      if (share.requests === 0) continue
      const tokens = sizes.tokens(sizes.of(message))
      const role = trace.role(message)
      const part: InputPart =
        role === 'tool' ? 'tool' : role === 'assistant' ? 'assistant' : this.#saidBy(trace, message)
      const place = { part, ...(part === 'tool' ? toolOf(names.of(trace, message)) : plain) }
      shareOut(place, tokens, share)
      if (part !== 'tool') continue
      this.#results.add({
        transcript,
        conversation,
        line: trace.line(message),
        tool: place.tool,
        server: place.server,
        requests: share.requests,
        tokens,
        carriedTokens: Math.round(share.tokens),
        usd: isPriced ? rounded(share.usd) : null,
      })
    }
  }

  #saidBy(trace: Trace, message: number): InputPart {
    return trace.role(message) === 'user' && !trace.isInjected(message) ? 'user' : 'injected'
  }

  #cellOf(trace: Trace, request: number): Sum {
    return this.#cell(trace.head.cwd, trace.requestModel(request), dayOf(trace.requestTime(request)))
  }

  #cell(cwd: string | null, model: string | null, day: string | null): Sum {
    const key = JSON.stringify([cwd, model, day])
    const known = this.#cells.get(key) ?? { cwd, model, day, sum: new Sum() }
    this.#cells.set(key, known)
    return known.sum
  }

  #cause(cause: MissCause): Sum {
    const known = this.#causes.get(cause) ?? new Sum()
    this.#causes.set(cause, known)
    return known
  }

  #part(
    { part, tool, server }: Place,
    count: number,
    { tokens, carriedTokens, usd }: Pick<Part, 'tokens' | 'carriedTokens' | 'usd'>,
    calls = 0,
  ): void {
    const key = JSON.stringify([part, server, tool])
    const known = this.#parts.get(key) ?? {
      part,
      tool,
      server,
      count: 0,
      calls: 0,
      tokens: 0,
      carriedTokens: 0,
      usd: 0,
    }
    known.count += count
    known.calls += calls
    known.tokens += tokens
    known.carriedTokens += carriedTokens
    known.usd += usd
    this.#parts.set(key, known)
  }

  result(): Omit<Spending, 'schemaVersion' | 'diagnostics'> {
    const all = new Sum()
    for (const { sum } of this.#cells.values()) all.merge(sum)
    const { percent: _, ...sums } = all.result(all.total)
    const isPriced = all.unpriced < all.requests
    const cells = [...this.#cells.values()].map(({ sum, ...place }) => ({ ...place, sum: sum.result(all.total) }))
    const days = cells.flatMap(({ day }) => day ?? []).sort()
    const projectOf = projectNames(cells.map(({ cwd }) => cwd))
    const by = (key: 'cwd' | 'model' | 'day') => this.#by(key, all.total)
    return {
      total: {
        transcripts: this.#transcripts,
        withoutUsage: this.#withoutUsage,
        allRequests: this.#allRequests,
        sideCalls: all.besideCalls,
        requestsWithoutUsage: this.#requestsWithoutUsage,
        repeatedResponses: this.#repeated,
        estimatedOutputs: this.#estimatedOutputs,
        withoutReads: this.#withoutReads,
        since: days[0] ?? null,
        until: days.at(-1) ?? null,
        ...sums,
        billed: all.billed,
        pricesAsOf: this.#table.asOf,
        missedPercent: percent(all.missedTokens, all.tokens.input + all.tokens.cacheWrite + all.tokens.cacheWrite1h),
      },
      projects: by('cwd').map(([cwd, sum]) => ({ project: projectOf(cwd), cwd, ...sum })),
      models: by('model').map(([model, sum]) => ({ model, ...sum })),
      sessions: this.#sessionRows(all.total),
      days: by('day')
        .map(([day, sum]) => ({ day, ...sum }))
        .sort((a, b) => ((a.day ?? '') < (b.day ?? '') ? 1 : -1)),
      kinds: tokenKinds
        .map((kind) => ({
          kind,
          tokens: all.tokens[kind],
          usd: isPriced ? dollars(all.billionths[kind]) : null,
          percent: percent(all.billionths[kind], all.total),
        }))
        .sort(dearest(({ tokens }) => tokens)),
      parts: this.#partRows(all, isPriced),
      tools: this.#toolRows(all, isPriced),
      definitions: this.#definitionRows(all, isPriced),
      compactions: this.#compactionRows(all),
      compactionSums: compactionSums(this.#compactions),
      moved: thresholdMoves(this.#sessions),
      agents: this.#agentRows(all),
      results: this.#results.sorted().map((one) => ({ ...one, percent: shareOf(one.usd, all) })),
      causes: missCauses
        .flatMap((cause) => {
          const sum = this.#causes.get(cause)
          if (!sum) return []
          const { missedRequests: requests, missedTokens: tokens, missedBillionths } = sum
          const usd = isPriced ? dollars(missedBillionths) : null
          const shares = {
            percent: percent(missedBillionths, all.total),
            tokensPercent: percent(tokens, all.missedTokens),
          }
          return [{ cause, requests, tokens, usd, ...shares }]
        })
        .sort(dearest(({ tokens }) => tokens)),
      misses: this.#misses.sorted().map((one) => ({ ...one, percent: shareOf(one.usd, all) })),
      terms: this.#terms,
      recordedCosts: this.#costRows(),
      cells: cells
        .sort((a, b) => compareNames(a.day, b.day) || compareNames(a.cwd, b.cwd) || compareNames(a.model, b.model))
        .map(({ sum, cwd, model, day }) => ({ project: projectOf(cwd), cwd, model, day, ...sum })),
    }
  }

  #by(key: 'cwd' | 'model' | 'day', total: number): [name: string | null, sum: SpendingSum][] {
    const sums = new Map<string | null, Sum>()
    for (const cell of this.#cells.values()) {
      const sum = sums.get(cell[key]) ?? new Sum()
      sum.merge(cell.sum)
      sums.set(cell[key], sum)
    }
    const rows = [...sums].map(([name, sum]): [string | null, SpendingSum] => [name, sum.result(total)])
    return rows.sort(([a, one], [b, other]) => bySum(one, other) || compareNames(a, b))
  }

  #sessionRows(total: number): SessionSpending[] {
    const projectOf = projectNames(this.#sessions.map(({ head }) => head.cwd))
    const rows = bySession(this.#sessions, ({ head }) => head).map((parts): SessionSpending => {
      const [{ head, title, promptCurve }] = parts as [OfSession]
      const sum = new Sum()
      for (const part of parts) sum.merge(part.sum)
      const prompts = parts.flatMap((part) => part.promptCurve)
      return {
        session: head.parent ?? head.conversation,
        file: head.file,
        format: head.format,
        model: head.model,
        title: head.parent === null ? title : null,
        ...periodOf(parts),
        transcripts: parts.length,
        requestsWithoutUsage: parts.reduce((count, part) => count + part.requestsWithoutUsage, 0),
        largestPrompt: prompts.length === 0 ? null : prompts.reduce((most, prompt) => Math.max(most, prompt)),
        promptCurve,
        project: projectOf(head.cwd),
        cwd: head.cwd,
        ...sum.result(total),
      }
    })
    const size = (row: SessionSpending): number => row.requests + row.requestsWithoutUsage
    return rows.sort((a, b) => bySum(a, b) || size(b) - size(a) || compareNames(a.file, b.file))
  }

  #partRows(all: Sum, isPriced: boolean): PartSpending[] {
    const rows = [...this.#parts.values()].map((part) => this.#partRow(part, all, isPriced))
    const order = dearest<PartSpending>(({ carriedTokens }) => carriedTokens)
    return [...rows, this.#partRow(outputOf(all), all, isPriced)].sort(
      (a, b) => order(a, b) || compareNames(a.tool, b.tool),
    )
  }

  /** Of each tool, and behind them of all that is no result of a tool. */
  #toolRows(all: Sum, isPriced: boolean): ToolSpending[] {
    const row = (part: Omit<PricedPart, 'part'>, of: ToolSpending['of']): ToolSpending => {
      const { part: _, ...figures } = this.#partRow({ part: 'tool', ...part }, all, isPriced)
      return { of, ...figures }
    }
    const order = dearest<ToolSpending>(({ carriedTokens }) => carriedTokens)
    const [own, rest] = this.#split('tool')
    return [
      ...own.map((part) => row(part, 'results')).sort((a, b) => order(a, b) || compareNames(a.tool, b.tool)),
      row(rest, 'rest'),
      row(outputOf(all), 'output'),
    ]
  }

  /** Of each definition of a tool, and behind them of all else; nothing where none is recorded. */
  #definitionRows(all: Sum, isPriced: boolean): DefinitionSpending[] {
    const row = (part: Omit<PricedPart, 'part'>, of: DefinitionSpending['of']): DefinitionSpending => {
      const { part: _, ...figures } = this.#partRow({ part: 'definition', ...part }, all, isPriced)
      return { of, calls: part.calls, ...figures }
    }
    const order = dearest<DefinitionSpending>(({ carriedTokens }) => carriedTokens)
    const [own, { usd, ...rest }] = this.#split('definition')
    if (own.length === 0) return []
    const output = outputOf(all)
    return [
      ...own.map((part) => row(part, 'definition')).sort((a, b) => order(a, b) || compareNames(a.tool, b.tool)),
      row({ ...rest, usd: usd + output.usd }, 'rest'),
    ]
  }

  /** The parts of one kind, and the sum of all others that are sent. */
  #split(kind: InputPart): readonly [own: Part[], rest: Omit<Part, 'part'>] {
    const rest = { tool: null, server: null, count: 0, calls: 0, tokens: 0, carriedTokens: 0, usd: 0 }
    const own: Part[] = []
    for (const one of this.#parts.values()) {
      if (one.part === kind) {
        own.push(one)
        continue
      }
      for (const key of ['count', 'tokens', 'carriedTokens', 'usd'] as const) rest[key] += one[key]
    }
    return [own, rest]
  }

  /** Of each compaction, and behind them of all that was spent on anything else. */
  #compactionRows(all: Sum): CompactionSpending[] {
    const order = dearest<CompactionRow>(({ rewrittenTokens }) => rewrittenTokens)
    const rows = [...this.#compactions].sort(
      (a, b) => order(a, b) || compareNames(a.transcript, b.transcript) || (a.line ?? 0) - (b.line ?? 0),
    )
    const spent = rows.reduce((sum, { usd }) => sum + billionthsOf(usd ?? 0), 0)
    const rest = { ...noCompaction, usd: all.usd === null ? null : dollars(all.total - spent) }
    return [...rows, rest].map((row) => ({ ...row, percent: shareOf(row.usd, all) }))
  }

  /** Of each sub-agent, of each call without one, and behind them of all that was spent on anything else. */
  #agentRows(all: Sum): AgentSpending[] {
    if (this.#agents.length === 0) return []
    const order = dearest<Omit<AgentSpending, 'percent'>>(({ returnedTokens }) => returnedTokens ?? 0)
    const rows = agentRows(this.#agents).sort(
      (a, b) =>
        compareNames(a.of, b.of) ||
        order(a, b) ||
        compareNames(a.transcript ?? a.caller, b.transcript ?? b.caller) ||
        (a.callLine ?? 0) - (b.callLine ?? 0),
    )
    const spent = rows.reduce((sum, { usd }) => sum + billionthsOf(usd ?? 0), 0)
    const rest = { ...noAgent, usd: all.usd === null ? null : dollars(all.total - spent) }
    return [...rows, rest].map((row) => ({ ...row, percent: shareOf(row.usd, all) }))
  }

  #partRow({ part, tool, server, count, tokens, carriedTokens, usd }: PricedPart, all: Sum, isPriced: boolean) {
    return {
      part,
      tool,
      server,
      count,
      tokens: Math.round(tokens),
      carriedTokens: Math.round(carriedTokens),
      amplification: tokens > 0 ? Math.round((10 * carriedTokens) / tokens) / 10 : 0,
      usd: isPriced ? rounded(usd) : null,
      percent: shareOf(usd, all),
      tokensPercent: percent(carriedTokens, inputTokens(all)),
    }
  }
}

type PricedPart = Omit<Part, 'part'> & { readonly part: SpendingPart }

/** What was answered, by all requests: it is sent again as what the assistant said, and counts there. */
function outputOf({ requests, tokens, billionths }: Sum): PricedPart {
  const plain = { tool: null, server: null, calls: 0, carriedTokens: 0 }
  return { part: 'output', ...plain, count: requests, tokens: tokens.output, usd: dollars(billionths.output) }
}

function inputTokens({ tokens }: Pick<Sum, 'tokens'>): number {
  return tokenKinds.reduce((sum, kind) => (kind === 'output' ? sum : sum + tokens[kind]), 0)
}

/** In percent of all that was spent. */
function shareOf(usd: number | null, all: Sum): number {
  return percent(billionthsOf(usd ?? 0), all.total)
}

/** Of a transcript: more would not fit into a row. */
const stretches = 12

function inputsOf(requests: ReadonlyMap<number, BilledRequest>): number[] {
  return [...requests.values()].map(({ usage }) => usage.input)
}

const bySum = dearest<SpendingSum>(({ tokens }) => tokenKinds.reduce((sum, kind) => sum + tokens[kind], 0))

/** By money; what costs the same, or has no price, by tokens. */
function dearest<T extends { readonly usd: number | null }>(tokens: (one: T) => number): (a: T, b: T) => number {
  return (a, b) => (b.usd ?? -1) - (a.usd ?? -1) || tokens(b) - tokens(a)
}

/** Nothing comes last. */
function compareNames(a: string | null, b: string | null): number {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? 1 : -1
  return a < b ? -1 : 1
}

/** Tools of MCP servers are called `mcp__<server>__<tool>`. */
function toolOf(name: string | null): Pick<PartSpending, 'tool' | 'server'> {
  const [, server, tool] = name === null ? [] : (/^mcp__(.+?)__(.+)$/s.exec(name) ?? [])
  return server !== undefined && tool !== undefined ? { tool, server } : { tool: name, server: null }
}

/** The tool and the server of a definition, as they may be printed. */
function namedTool(name: string | null, server: string | null, { redaction }: Trace) {
  const said = name === null ? null : redaction.tool(name)
  return server === null ? toolOf(said) : { tool: said, server: redaction.tool(server) }
}

/** How often each tool is called. */
function callsOf(trace: Trace, names: ToolNames): ReadonlyMap<string | null, number> {
  const calls = new Map<string | null, number>()
  for (let message = 0; message < trace.length; message++) {
    if (trace.role(message) !== 'assistant') continue
    const first = trace.call(message)
    for (let call = first; call < first + trace.callCount(message); call++) {
      const name = names.name(call)
      calls.set(name, (calls.get(name) ?? 0) + 1)
    }
  }
  return calls
}

/** ISO date, in UTC; null where no time is recorded. */
function dayOf(time: number): string | null {
  return Number.isNaN(time) ? null : new Date(time).toISOString().slice(0, 10)
}
