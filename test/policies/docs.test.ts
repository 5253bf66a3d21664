import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { policies, policyGroups } from '../../src/policies/index.ts'
import { generate, renew } from '../../tools/docs/policies.mjs'

const document = readFileSync(new URL('../../docs/policies.md', import.meta.url), 'utf8')

describe('docs/policies.md', () => {
  it('has the tables of the definitions: npm run build && node tools/docs/policies.mjs', () => {
    expect(renew(document, generate(policyGroups))).toBe(document)
  })

  it('names no policy that is not there', () => {
    const names = new Set(policies.all.flatMap(({ name, aliases = [] }) => [name, ...aliases]))
    const shown = [...document.matchAll(/--policy ([a-z][a-z0-9-]+)/g)].map(([, name]) => name)
    expect(shown.filter((name) => !names.has(name as string))).toEqual([])
    expect(shown).not.toEqual([])
  })
})
