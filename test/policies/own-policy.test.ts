import { describe, expect, it } from 'vitest'
import { checkPolicy } from '../../src/own-policy.ts'
import { integer } from '../../src/params.ts'
import { policies } from '../../src/policies/index.ts'
import { definePolicy, type Window } from '../../src/policies/policy.ts'

const halves = definePolicy({
  name: 'halves',
  summary: 'drop half of the messages',
  source: 'a test',
  params: { least: integer({ default: 2, min: 1, help: 'messages that stay' }) },
  kind: 'sticky',
  monotone: false,
  wholePairs: false,
  text: false,
  start: ({ least }) => ({
    request(window) {
      for (let half = window.count >> 1; half > 0 && window.count > least && window.first; half--) {
        window.drop(window.first, window.first)
      }
    },
  }),
})

describe('a policy of the user’s own', () => {
  it('is taken as it is when nothing is wrong with it', () => {
    expect(checkPolicy(halves, './mine.js')).toMatchObject({ name: 'halves', kind: 'sticky', source: 'a test' })
  })

  it('may leave out what it does not need', () => {
    const bare = checkPolicy({ name: 'bare', start: () => ({ request: () => {} }) }, './bare.js')
    expect(bare).toMatchObject({ summary: '', source: './bare.js', params: {}, kind: 'sticky', text: false })
  })

  it('finds nothing wrong with ours', () => {
    for (const policy of policies.all) {
      if (policy.name !== 'keep-all') expect(checkPolicy(policy, policy.name).name).toBe(policy.name)
    }
  })

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'its default export is no policy'],
    ['a function', () => {}, 'its default export is no policy'],
    ['no name', { start: () => ({}) }, 'it needs a `name`'],
    ['a name of its own kind', { name: 'My Policy', start: () => ({}) }, 'it needs a `name`'],
    ['no start', { name: 'mine' }, 'it needs `start(values, context)`'],
    ['another kind', { name: 'mine', kind: 'other', start: () => ({}) }, 'neither "sticky" nor "view"'],
    ['a knob that is none', { name: 'mine', params: { n: 3 }, start: () => ({}) }, 'its setting "n" is none'],
    ['no object', { name: 'mine', start: () => null }, 'returns no object of occasions'],
    ['no occasion', { name: 'mine', start: () => ({ reqest: () => {} }) }, 'returns none of the occasions'],
    [
      'an occasion that is none',
      { name: 'mine', start: () => ({ request: 1 }) },
      'its occasion "request" is no function',
    ],
    [
      'an error when tried',
      {
        name: 'mine',
        start: () => ({
          request() {
            throw new Error('oh\nno')
          },
        }),
      },
      'it failed on a small conversation with a budget of 1: oh',
    ],
    [
      'text without saying so',
      {
        name: 'mine',
        start: () => ({ message: (window: Window, entry: never) => window.restore(entry) }),
      },
      'only a `view` policy can restore',
    ],
  ])('is refused: %s', (_, value, what) => {
    expect(() => checkPolicy(value, './mine.js')).toThrow(`./mine.js cannot be used as a policy: `)
    expect(() => checkPolicy(value, './mine.js')).toThrow(what)
  })
})
