/**
 * Four times the input must take about four times the work. The work is counted, because a timed test fails on a busy
 * machine and passes on a fast one. What can only be timed is in bench/growth.mjs.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { historyOf, sessionPicture, simulate } from '../src/app/by-plan.ts'
import { type Plan, sizersFor } from '../src/app/plan.ts'
import { type Params, resolveParams } from '../src/base/param.ts'
import type { Message } from '../src/model/message.ts'
import type { Trace } from '../src/model/trace.ts'
import keepAll from '../src/policies/keep-all.ts'
import knobs from '../src/policies/knobs/knobs.ts'
import type { Policy } from '../src/policies/policy.ts'
import forge from '../src/policies/systems/forge.ts'
import forgeLiteral from '../src/policies/systems/forge-literal.ts'
import forgeShipped from '../src/policies/systems/forge-shipped.ts'
import ikigai from '../src/policies/systems/ikigai.ts'
import { wrap } from '../src/reports/text.ts'
import { EditableWindow } from '../src/simulator/window.ts'
import { WindowView } from '../src/simulator/window-view.ts'
import { traceOf } from './simulator/arbitrary.ts'
import { planOf } from './simulator/plan.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

function read(list: readonly Message[], plan: Plan): Trace {
  return traceOf(list, sizersFor(plan)(traceOf([], []).head))
}

const text = (role: Message['role'], words: string, line = 1): Message => ({
  role,
  line,
  blocks: [{ type: 'text', text: words }],
})

function calls(count: number): Message[] {
  const list = [text('user', 'Do all of it.')]
  for (let at = 0; at < count; at++) {
    const id = `call_${at}`
    list.push({
      role: 'assistant',
      line: 1,
      blocks: [{ type: 'call', id, name: 'read', input: { path: `file${at}` } }],
    })
    list.push({ ...text('tool', 'const answer = 42'), callId: id })
  }
  return list
}

/** The work for four times the size, divided by the work for the size. */
function growth(size: number, work: (size: number) => number): number {
  const small = work(size)
  expect(small).toBeGreaterThan(0)
  return work(size * 4) / small
}

describe('four times the input is about four times the work', () => {
  it('of the prompt cache, where the messages of a policy pile up', () => {
    const looks = (count: number): number => {
      const plan = planOf({ plugin: forgeShipped, values: resolveParams('forge-shipped', forgeShipped.params, {}) }, 20)
      const spy = vi.spyOn(EditableWindow.prototype, 'unitsOf')
      simulate(read(calls(count), plan), plan)
      const { length } = spy.mock.calls
      spy.mockRestore()
      return length
    }
    expect(growth(50, looks)).toBeLessThan(5)
  })

  it('of a history of many exchanges without times', () => {
    const looks = (exchanges: number): number => {
      const plan = planOf({ plugin: keepAll, values: {} }, 0)
      const list = Array.from({ length: exchanges }, () => [text('user', 'a'), text('assistant', 'b')]).flat()
      const trace = read(list, plan)
      let count = 0
      const counted = new Proxy(trace.messages as Message[], {
        get(messages, key, receiver) {
          count++
          return Reflect.get(messages, key, receiver)
        },
      })
      Object.defineProperty(trace, 'messages', { value: counted })
      historyOf(trace, plan, null)
      return count
    }
    expect(growth(50, looks)).toBeLessThan(5)
  })

  it.each([
    ['the history', (trace: Trace, plan: Plan) => void historyOf(trace, plan, null)],
    ['the picture', (trace: Trace, plan: Plan) => void sessionPicture(trace, plan)],
  ])('of %s of a window that loses an exchange before each request, with many left', (_, watch) => {
    const noted = (exchanges: number): number => {
      const list = Array.from({ length: exchanges }, () => [text('user', 'a'), text('assistant', 'b')]).flat()
      const plan = planOf({ plugin: ikigai, values: { keepLast: 1, target: 1 } }, exchanges * 10)
      const trace = read(list, plan)
      const spies = [vi.spyOn(Set.prototype, 'add'), vi.spyOn(Set.prototype, 'has')]
      watch(trace, plan)
      const count = spies.reduce((sum, { mock }) => sum + mock.calls.length, 0)
      vi.restoreAllMocks()
      return count
    }
    expect(growth(50, noted)).toBeLessThan(5)
  })

  it.each([forge, forgeLiteral] as Policy[])('of $name in a window where there is nothing to summarise', (policy) => {
    const steps = (exchanges: number): number => {
      const plugin = { ...policy, module: 'policy.js', seconds: 60 }
      const plan = planOf({ plugin, values: resolveParams(policy.name, policy.params, {}) }, exchanges * 2)
      const list = Array.from({ length: exchanges }, () => [text('user', 'a'), text('assistant', 'b')]).flat()
      const spy = vi.spyOn(WindowView.prototype, 'entryOrNull')
      simulate(read(list, plan), plan)
      const { length } = spy.mock.calls
      spy.mockRestore()
      return length
    }
    expect(growth(50, steps)).toBeLessThan(5)
  })

  it.each([
    { trigger: 'always', unit: 'result', protect: 'last:3', operation: 'mask+clear-inputs', target: 'all' },
    { trigger: 'always', unit: 'result', protect: 'tool:ls+unseen+tail:90:2', operation: 'offload', target: 'all' },
    { trigger: 'over:500', unit: 'pair', protect: 'first:2+last:1', target: 'watermark:400', repair: 'none' },
    { trigger: 'over:500', protect: 'last:1', target: 'keep:9', repair: 'pairs' },
    { trigger: 'over:500', unit: 'batch', order: 'middle', target: 'watermark:400', repair: 'results' },
    { trigger: 'every:4', unit: 'step', operation: 'summarise:50', target: 'all', repair: 'whole' },
  ])('of the knobs %o', (given) => {
    const steps = (count: number): number => {
      const plugin = { ...(knobs as unknown as Policy), module: 'policy.js', seconds: 60 }
      const plan = planOf({ plugin, values: resolveParams('knobs', knobs.params as Params, given) }, 1000)
      const spy = vi.spyOn(WindowView.prototype, 'entryOrNull')
      simulate(read(calls(count), plan), plan)
      const { length } = spy.mock.calls
      spy.mockRestore()
      return length
    }
    expect(growth(100, steps)).toBeLessThan(5)
  })

  it('of a run with a cut in each exchange, of which no object is kept', () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const kept = (exchanges: number): number => {
      const plan = planOf({ plugin: ikigai, values: { keepLast: 1, target: 1 } }, 100)
      const trace = read(
        Array.from({ length: exchanges }, () => [text('user', 'a'), text('assistant', 'b')]).flat(),
        plan,
      )
      simulate(trace, plan)
      collect()
      const before = process.memoryUsage().heapUsed
      const [run] = simulate(trace, plan)
      collect()
      const after = process.memoryUsage().heapUsed
      expect(run?.cuts.length).toBeGreaterThan(exchanges * 0.9)
      return after - before
    }
    expect(kept(10_000)).toBeLessThan(10_000 * 20)
  })

  it('of a word that takes many lines', () => {
    // Each step of the engine's segmenter takes time proportional to the whole text.
    const measured = (length: number): number => {
      const spy = vi.spyOn(Intl.Segmenter.prototype, 'segment')
      wrap('ж'.repeat(length), 20, 0, 2)
      const characters = spy.mock.calls.reduce((sum, [characters]) => sum + characters.length ** 2, 0)
      spy.mockRestore()
      return characters
    }
    expect(growth(1000, measured)).toBeLessThan(5)
  })
})
