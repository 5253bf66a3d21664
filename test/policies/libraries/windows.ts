/** The windows of a policy, in the words of the oracles: see tools/oracles/rows.mjs. */

import { firstCell, type Plan, sizersFor } from '../../../src/app/plan.ts'
import { resolveParams } from '../../../src/base/param.ts'
import bytes from '../../../src/estimators/bytes.ts'
import type { Message } from '../../../src/model/message.ts'
import { policies } from '../../../src/policies/index.ts'
import type { Contents } from '../../../src/simulator/contents.ts'
import { simulateOne } from '../../../src/simulator/simulate.ts'
import { row } from '../../../tools/oracles/rows.mjs'
import { headOf, traceOf } from '../../simulator/arbitrary.ts'

export type Row = number | readonly (number | string)[]

export interface Talk {
  readonly system: string | null
  readonly messages: readonly Message[]
}

export interface Answer {
  readonly policy: string
  readonly budget: number
  readonly values: Readonly<Record<string, unknown>>
  /** Before each request, and mostly at the end. */
  readonly windows: readonly (readonly Row[])[]
}

/** As many windows as the library was asked for: not always the one at the end. */
export function windowsOf({ system, messages }: Talk, { policy, budget, values, windows: asked }: Answer): Row[][] {
  const plugin = policies.get(policy)
  const plan: Plan = {
    policies: [{ plugin, values: resolveParams(policy, plugin.params, values) }],
    estimators: [{ plugin: bytes, values: { bytesPerToken: 4 } }],
    budgets: [budget],
    native: true,
  }
  const preamble: Message[] =
    system === null ? [] : [{ role: 'system', line: 0, blocks: [{ type: 'text', text: system }] }]
  const trace = traceOf(messages, sizersFor(plan)(headOf('openai')), 'openai', {
    preamble: { system: preamble, complete: true },
  })
  const windows: Row[][] = []
  const look = (window: Contents) => {
    windows.push(window.messages().map(({ index, message }) => (index < 0 ? -1 : row(index, messages[index], message))))
  }
  simulateOne(firstCell(trace, plan), [{ request: (_, window) => look(window), next: look }])
  return windows.slice(0, asked.length)
}
