/**
 * In the process of the tests, in front of each file: one fault is on or, to see who comes by which, none. What never ends is
 * ended: where it comes by the fault again and again, by an error, and else by the end of the process.
 */
import { appendFileSync, mkdtempSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject } from 'vitest'
import type { Order, Visit } from './lab.mjs'

interface Switches {
  $fault(id: number): boolean
  $passes: Map<number, number>
}

const here = globalThis as unknown as Switches
const { on, limit, seconds, log, directory } = inject('order' as never) as Order
// To make a failing case small would take most of the time.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true })

if (!here.$passes) {
  // What a fault makes wrong is not kept for the next one.
  process.env.XDG_CACHE_HOME = mkdtempSync(join(directory, 'cache-'))
  here.$passes = new Map()
  let left = limit
  here.$fault =
    on === null
      ? (id) => {
          here.$passes.set(id, (here.$passes.get(id) ?? 0) + 1)
          return false
        }
      : (id) => {
          if (id !== on) return false
          if (left-- <= 0) throw new Error('the fault has no end')
          return true
        }
  if (on !== null) {
    const code = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${seconds * 1000})`
    new Worker(code, { eval: true, execArgv: [] }).unref()
  }
}

if (on === null) {
  here.$passes.clear()
  const began = performance.now()
  const tests: Visit['tests'] = []
  let loading: number[] = []
  let before = { passes: new Map<number, number>(), time: 0 }
  beforeAll(() => {
    loading = [...here.$passes.keys()]
  })
  beforeEach(() => {
    before = { passes: new Map(here.$passes), time: performance.now() }
  })
  afterEach(({ task: { id } }) => {
    const { passes, time } = before
    const met = [...here.$passes].flatMap(([fault, now]) => {
      const times = now - (passes.get(fault) ?? 0)
      return times === 0 ? [] : [[fault, times] as [number, number]]
    })
    if (met.length > 0) tests.push({ id, seconds: (performance.now() - time) / 1000, passes: met })
  })
  afterAll(() => {
    const file = relative(process.cwd(), expect.getState().testPath!)
    const seconds = (performance.now() - began) / 1000
    const visit: Visit = { file, seconds, loading, passes: [...here.$passes], tests }
    appendFileSync(log, `${JSON.stringify(visit)}\n`)
  })
}
