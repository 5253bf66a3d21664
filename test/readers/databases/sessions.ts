/** The sessions of a database that a test writes, read as any other source. */

import { type SessionSource, sessionsIn } from '../../../src/readers/databases/index.ts'
import { type Read, readSource } from '../reading.ts'

export const sessionOf = (path: string, id: string): SessionSource => {
  const session = sessionsIn(path).find((one) => one.id === id)
  if (!session) throw new Error(`there is no session ${id}`)
  return session
}

export const readSession = (path: string, id: string): Promise<Read> => readSource(sessionOf(path, id).source)

/** What all of its requests and calls beside them were billed, in tokens and dollars. */
export function billOf({ traces }: Read) {
  const usages = traces.flatMap((trace) => [
    ...Array.from({ length: trace.requests }, (_, request) => trace.usage(request)),
    ...trace.sideCalls.map(({ usage }) => usage),
  ])
  const sum = (key: 'input' | 'cacheRead' | 'cacheWrite' | 'output' | 'cost') =>
    usages.reduce((total, usage) => total + (usage?.[key] ?? 0), 0)
  return {
    input: sum('input'),
    cacheRead: sum('cacheRead'),
    cacheWrite: sum('cacheWrite'),
    output: sum('output'),
    cost: sum('cost'),
  }
}
