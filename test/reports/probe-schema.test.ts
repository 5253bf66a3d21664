/** The published schema of `probe` is exact: a member more or less in any object of the result is found. */
import { expect, it } from 'vitest'
import { estimateOf } from '../../src/measures/noninferiority.ts'
import type { ProbeResult } from '../../src/model/probe-result.ts'
import { unprobedReasons } from '../../src/model/probed.ts'
import { probeSheet } from '../../src/reports/probe.ts'
import { publishedSchema } from '../schema.ts'
import { probeOf, read } from './html/sample-probe.ts'

const { violations } = publishedSchema('probe')

const difference = probeOf(read('/a.ts'), read('/b.ts'))
/** With something in each list, and nothing null that could be an object. */
const full: ProbeResult = {
  ...difference,
  failed: { requests: 1, reasons: [{ reason: 'too many requests (HTTP 429)', requests: 1 }] },
  lost: { tries: 2, dollars: 0.1 },
  power: { halfWidth: 0.1, floor: 0.9, correlation: 0.1, from: { probes: 60, sessions: 12 } },
  strata: [{ by: 'all', kind: 'all', ...estimateOf([]) }],
  counted: [{ window: 'full', bodies: 1, estimated: 10, counted: 11, meanAbsolutePercent: 9.1 }],
  sessions: [
    {
      file: 'a.jsonl',
      conversation: null,
      requests: 9,
      differing: 3,
      unprobed: Object.fromEntries(unprobedReasons.map((reason) => [reason, 0])) as never,
      preamble: 'rebuilt',
      probes: [
        {
          ...{ request: 3, loss: 'content', age: 'to 5', tool: null, weight: 1.5, outputTokens: null },
          ...{ fullTokens: 10, fullShared: 0, policyTokens: 7, policyShared: 0 },
        },
      ],
      summaries: [{ readTokens: 10, writtenTokens: 2700 }],
      estimated: { cold: 1, cached: 0.5 },
    },
  ],
}
const data = () => JSON.parse(JSON.stringify(probeSheet(full, false).data))

type Path = readonly (string | number)[]

/** Where there are objects that have members of ours: params and inputs of calls have anybody's. */
function objectsIn(value: unknown, path: Path = []): Path[] {
  const isAnybodys = path.at(-1) === 'params' || (path.at(-1) === 'input' && path.includes('calls'))
  if (typeof value !== 'object' || value === null || isAnybodys) return []
  const inside = Object.entries(value).flatMap(([key, inner]) =>
    objectsIn(inner, [...path, Array.isArray(value) ? Number(key) : key]),
  )
  return Array.isArray(value) ? inside : [path, ...inside]
}

function at(value: unknown, path: Path): Record<string, unknown> {
  return path.reduce((inner, key) => (inner as Record<string, unknown>)[key], value) as Record<string, unknown>
}

it('takes what is printed', () => {
  expect(violations(data())).toEqual([])
})

it('finds a member more and a member less in each object', () => {
  const paths = objectsIn(data())
  const names = new Set(paths.map((path) => path[0]))
  for (const name of ['across', 'floor', 'drift', 'differences', 'counted', 'power', 'failed', 'lost', 'sessions'])
    expect(names).toContain(name)
  for (const path of paths) {
    const more = data()
    at(more, path).more = 1
    expect([path, violations(more).length > 0]).toEqual([path, true])
    for (const key of Object.keys(at(data(), path))) {
      const less = data()
      delete at(less, path)[key]
      expect([path, key, violations(less).length > 0]).toEqual([path, key, true])
    }
  }
})
