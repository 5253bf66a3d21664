/**
 * The examples of docs/turn-on.md, each run against its package, where that is installed: npm ci --ignore-scripts --prefix tools/adapters.
 * Those of the providers' own packages are run everywhere.
 */
import { describe, expect, it } from 'vitest'
import { recorded, type Sent } from './adapters.ts'

interface Agents {
  readonly programs: Readonly<Record<string, unknown>>
  isHere(name: string): boolean
  requestsOf(name: string): Promise<(Sent & { readonly given: Sent['sent'] })[]>
}

const { programs, isHere, requestsOf }: Agents = await import(
  new URL('../../tools/adapters/agents.mjs', import.meta.url).href
)

describe.each(Object.keys(programs))('%s', (name) => {
  it.skipIf(!isHere(name))('is sent what live gives', { timeout: 100_000 }, async () => {
    const requests = await requestsOf(name)
    for (const { sent, given } of requests) expect(sent).toEqual(given)
    expect(requests.map(({ system, sent }) => ({ system, sent }))).toEqual(recorded[name]?.requests)
  })
})
