import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { chooseNamed } from '../../src/cli/inputs/options.ts'
import { compose, type Step } from '../../src/policies/compose.ts'
import { ownBudgetWords, policies, policyGroups } from '../../src/policies/index.ts'
import { nineKnobs } from '../../src/policies/knobs/knobs.ts'
import { generate, generateKnobs, renew } from '../../tools/docs/policies.mjs'

const document = readFileSync(new URL('../../docs/policies.md', import.meta.url), 'utf8')

describe('docs/policies.md', () => {
  it('has the tables of the definitions: npm run renew', () => {
    expect(renew(document, generate(policyGroups, ownBudgetWords))).toBe(document)
  })

  it('says of each param of each policy what it sets', () => {
    const sections = new Map(document.split(/^### /m).map((text) => [/^`([^`]+)`/.exec(text)?.[1], text] as const))
    for (const { name, params } of policies.all) {
      const text = sections.get(name)?.replace(/\s+/g, ' ')
      for (const [key, { help }] of Object.entries(params)) {
        expect(text, `${name}:${key}`).toContain(`- \`${key}\`: ${help.replace(/\s+/g, ' ')}`)
      }
    }
  })

  it('names no policy that is not there', () => {
    const names = new Set(policies.all.flatMap(({ name, aliases = [] }) => [name, ...aliases]))
    const shown = [...document.matchAll(/--policy ([a-z][a-z0-9-]+)/g)].map(([, name]) => name)
    expect(shown.filter((name) => name !== 'all' && !names.has(name as string))).toEqual([])
    expect(shown).not.toEqual([])
  })
})

describe('docs/compose.md', () => {
  const document = readFileSync(new URL('../../docs/compose.md', import.meta.url), 'utf8')

  it('has all words of the knobs: npm run renew', () => {
    expect(renew(document, generateKnobs(nineKnobs))).toBe(document)
  })

  it('shows compositions that are taken as they are written', () => {
    const shown = [...document.matchAll(/'knobs:([^']+)'/g)].map(([, knobs]) => knobs as string)
    for (const knobs of shown) chooseNamed(policies, `knobs:${knobs}`)
    const files = [...document.matchAll(/```json\n([^`]+)```/g)].map(([, file]) => JSON.parse(file as string))
    const steps = files.flatMap(({ policies }) => Object.values<readonly Step[]>(policies))
    for (const list of steps) compose('mine', list)
    expect([shown.length, steps.length]).not.toContain(0)
  })
})
