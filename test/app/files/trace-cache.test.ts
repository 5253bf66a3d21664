import { describe, expect, it } from 'vitest'
import { keyOfWay, waysOf } from '../../../src/app/files/trace-cache.ts'
import { digestFor, type Plan } from '../../../src/app/plan.ts'
import { choose } from '../../../src/base/chosen.ts'
import { estimators } from '../../../src/estimators/index.ts'
import { agentCalls } from '../../../src/measures/agent-calls.ts'
import { type DigestKind, noDigest } from '../../../src/model/trace.ts'
import { references, referencesWithoutCopies } from '../../../src/references/digest.ts'

const plan: Plan = { policies: [], estimators: [choose(estimators.get('bytes'))], budgets: [] }
const wayOf = (digest: DigestKind) => ({ plan, digest, options: { format: 'auto' } }) as Parameters<typeof waysOf>[0]
const keys = (kinds: readonly DigestKind[]) => kinds.map((kind) => keyOfWay(wayOf(kind)))

describe('what was kept', () => {
  it.each([
    ['everything', references, [references]],
    ['no copies', referencesWithoutCopies, [referencesWithoutCopies, references]],
    ['calls', agentCalls, [agentCalls, referencesWithoutCopies, references]],
    ['no references', noDigest, [noDigest, agentCalls, referencesWithoutCopies, references]],
  ] as const)('serves who asks for %s, if it has at least that', (_, digest, served) => {
    expect(waysOf(wayOf(digest)).map(({ way }) => way)).toEqual(keys(served))
    expect(new Set(keys(served)).size).toBe(served.length)
  })
})

it('a plan says what is looked for', () => {
  expect(digestFor(plan)).toBe(noDigest)
  expect(digestFor({ ...plan, references: true })).toBe(referencesWithoutCopies)
  expect(digestFor({ ...plan, references: true, copies: true })).toBe(references)
})
