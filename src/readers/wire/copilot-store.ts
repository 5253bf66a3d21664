/**
 * What each request of a session was billed, as the store of Copilot's CLI has it: a row of `assistant_usage_events` for each, which
 * does not say to which response it belongs. The input has what was read from the cache and written to it in it.
 */

import { itemsOf, type JsonObject, objectOf } from '../../base/json.ts'
import type { Usage } from '../../model/message.ts'
import type { SideCall } from '../../model/trace.ts'
import { timeOf } from './bodies.ts'
import { textIn } from './session.ts'
import { sideCallOf } from './side-calls.ts'
import { tokens, usageBy, withInput } from './usage.ts'
import { usageKeys } from './usage-keys.ts'

interface Row {
  readonly usage: Usage
  readonly model: string | undefined
  readonly time: number | undefined
  readonly isSummary: boolean
  /** Whether the row says what the response came to. */
  readonly isWhole: boolean
}

export interface SumOfCalls {
  readonly calls: number
  readonly usage: Usage
}

export class Billed {
  /** There is a store, with every request of the session. */
  readonly isKept: boolean
  #left: readonly Row[]
  /** Those that no sum has had in it yet. */
  #unsummed: readonly Row[]

  constructor(rows: unknown) {
    this.#left = itemsOf(rows).flatMap((row) => rowOf(objectOf(row) ?? {}))
    this.isKept = this.#left.length > 0
    this.#unsummed = this.#left.filter(({ isSummary }) => !isSummary)
  }

  /** The first row that is left, of its model and with as many tokens of output. */
  response(model: string | undefined, output: unknown): Usage | undefined {
    return this.#take((row) => !row.isSummary && row.model === model && (!row.isWhole || row.usage.output === output))
  }

  /** The first that is left of a call for a summary with that input. */
  summary(input: number): Usage | undefined {
    return this.#take((row) => row.isSummary && row.usage.input === input)
  }

  /** What a sum has in it that counts the requests of a model up to a moment. */
  sumUntil(model: string, time = Infinity): SumOfCalls {
    const isIn = (row: Row): boolean => row.model === model && (row.time ?? 0) <= time
    const rows = this.#unsummed.filter(isIn)
    this.#unsummed = this.#unsummed.filter((row) => !isIn(row))
    const sum = (kind: 'input' | 'cacheRead' | 'cacheWrite' | 'output') =>
      rows.reduce((total, { usage }) => total + usage[kind], 0)
    const [input, cacheRead, cacheWrite, output] = [sum('input'), sum('cacheRead'), sum('cacheWrite'), sum('output')]
    return { calls: rows.length, usage: { input, cacheRead, cacheWrite, cacheWrite1h: 0, output } }
  }

  /** What no message came of. */
  calls(): SideCall[] {
    return this.#left.map(({ usage, model, time, isSummary }) =>
      sideCallOf({ kind: isSummary ? 'summary' : 'aside', usage, model, time, line: 1 }),
    )
  }

  #take(isIts: (row: Row) => boolean): Usage | undefined {
    const row = this.#left.find(isIts)
    this.#left = this.#left.filter((one) => one !== row)
    return row?.usage
  }
}

function rowOf(row: JsonObject): Row[] {
  const usage = withInput(usageBy(usageKeys.copilotStore, row))
  if (!usage) return []
  return [
    {
      usage,
      model: textIn(row, 'model'),
      time: timeOf(row.created_at),
      isSummary: row.initiator === 'compaction',
      isWhole: tokens(row.output_tokens) !== undefined,
    },
  ]
}
