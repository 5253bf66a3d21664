import { EventEmitter } from 'node:events'
import fc from 'fast-check'
import { afterAll, expect, it, vi } from 'vitest'
import type { WorkerStart } from '../../../src/cli/inputs/pool.ts'

/** How long the lines are that files come to, by name, and which are begun. */
const made = { lines: new Map<string, number>(), begun: [] as string[] }

// Another test of this process may have loaded the pool with real threads.
vi.resetModules()
vi.doMock('node:worker_threads', () => ({
  /** A thread that is done with a file in a moment: it posts two lines of it. */
  Worker: class extends EventEmitter {
    postMessage({ name }: { readonly name: string }): void {
      made.begun.push(name)
      const line = JSON.stringify('x'.repeat(made.lines.get(name) ?? 0))
      setImmediate(() => this.emit('message', { line, isEnd: false }))
      setImmediate(() => this.emit('message', { line: JSON.stringify(name), isEnd: true }))
    }
    async terminate(): Promise<void> {}
  },
}))

const { Pool } = await import('../../../src/cli/inputs/pool.ts')
afterAll(() => {
  vi.doUnmock('node:worker_threads')
  vi.resetModules()
})

const mostHeld = 66

it('hands over all files in their order, however they are measured, and holds little of those ahead', async () => {
  const sizes = fc.array(fc.constantFrom(0, 1, 20, 30), { minLength: 1, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 1, max: 3 }), fc.array(fc.nat()), async (lengths, threads, shuffle) => {
      const files = lengths.map((length, at) => ({ name: String(at), length }))
      made.lines = new Map(files.map(({ name, length }) => [name, length]))
      made.begun = []
      const pool = new Pool(
        threads,
        {} as WorkerStart,
        () => {},
        async () => [],
        mostHeld,
      )
      const inSomeOrder = files.toSorted((a, b) => (shuffle[Number(a.name)] ?? 0) - (shuffle[Number(b.name)] ?? 0))
      const task = { named: true, container: null, earlier: [] }
      const measured = new Map(inSomeOrder.map(({ name }) => [name, pool.measure({ name, ...task })]))
      const found: unknown[] = []
      for (const { name, length } of files) {
        const lines: unknown[] = []
        for await (const line of measured.get(name) ?? []) lines.push(line)
        expect(lines).toEqual(['x'.repeat(length), name])
        found.push(name)
        // What is begun and not handed over yet: of more than is held at most only what the threads were at.
        const ahead = made.begun.filter((one) => !found.includes(one)).map((one) => made.lines.get(one) ?? 0)
        expect(ahead.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(mostHeld + threads * 30)
      }
      expect(made.begun.toSorted()).toEqual(files.map(({ name }) => name).toSorted())
      await pool.close()
    }),
  )
})
