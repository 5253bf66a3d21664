import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compose } from '../../src/policies/compose.ts'
import { policies } from '../../src/policies/index.ts'

/** The plugins in `policies/` and its folders: files with a default export. */
function files(): string[] {
  const folder = new URL('../../src/policies/', import.meta.url)
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && /^export default/m.test(readFileSync(new URL(path, folder), 'utf8')))
    .map((path) => basename(path, '.ts'))
}

describe('the registry of policies', () => {
  it('has every file of the folder, under its name', () => {
    expect([...policies.names].sort()).toEqual(files().sort())
  })

  it('names each once, aliases included', () => {
    const names = policies.all.flatMap((policy) => [policy.name, ...(policy.aliases ?? [])])
    expect(new Set(names).size).toBe(names.length)
  })

  it('finds a name as the command line writes it, as a config writes it, and by its alias', () => {
    expect(policies.get('drop-oldest')).toBe(policies.get('dropOldest'))
    expect(policies.get('truncateToolResults')).toBe(policies.get('truncate-results'))
    expect(policies.get('mask-results').name).toBe('mask-tool-results')
    expect(() => policies.get('drop-oldes')).toThrow('Did you mean "drop-oldest"?')
  })
})

describe('a budget of its own', () => {
  it('is the window, of each policy whose budget the card says that is', () => {
    const saysWindow = policies.all.filter(({ trigger }) => /^(the|the model's) window\b/.test(trigger ?? ''))
    const hasWindow = policies.all.filter(({ ownBudget }) => ownBudget === 'window')
    expect(hasWindow).toEqual(saysWindow)
    expect(hasWindow).not.toEqual([])
  })

  it('is what the documents say', () => {
    const own = (name: string) => policies.get(name).ownBudget
    expect(['ikigai', 'exchange', 'mimir', 'forge'].map(own)).toEqual([100_000, 90_000, 128_000, undefined])
    const byName = own('duragent') as (model: string) => number
    expect(['claude-sonnet-4-20250514', 'GPT-4o', 'grok-4', 'mistral-large', ''].map(byName)).toEqual([
      200_000, 128_000, 2_000_000, 262_144, 128_000,
    ])
  })
})

describe('compose', () => {
  it('takes the steps of the configuration', () => {
    const mine = compose('mine', [
      { truncateToolResults: { max: 8000 } },
      { maskToolResults: { keepFirst: 2, keepLast: 5 } },
      { dropOldest: { keepLast: 1, target: 0.5 } },
    ])
    expect(mine).toMatchObject({ name: 'mine', kind: 'sticky', monotone: false, wholePairs: true, text: true })
    expect(mine.summary).toBe('truncate-tool-results, then mask-tool-results, then drop-oldest')
  })

  it('is not sure of pairs when a step parts them, unless the last one mends that', () => {
    expect(compose('a', ['dropMessages']).wholePairs).toBe(false)
    expect(compose('b', ['dropMessages', 'keepPairs']).wholePairs).toBe(true)
    expect(compose('c', ['keepPairs', 'dropMessages']).wholePairs).toBe(false)
  })

  it('says what is wrong with a step', () => {
    expect(() => compose('mine', [])).toThrow('policy mine: [] is not a list of at least one step')
    expect(() => compose('mine', [{ dropOldst: {} }])).toThrow(
      'unknown policy "dropOldst". Did you mean "drop-oldest"?',
    )
    expect(() => compose('mine', [{ dropOldest: { keepLat: 1 } }])).toThrow('Did you mean "keepLast"?')
    expect(() => compose('mine', [{ dropOldest: { keepLast: 0 } }])).toThrow('drop-oldest:keepLast: 0 is not')
    expect(() => compose('mine', [{ dropOldest: {}, keepPairs: {} }])).toThrow('a step: one policy with its params')
  })
})
