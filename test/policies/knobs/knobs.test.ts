import { describe, expect, it } from 'vitest'
import { CtxwinError } from '../../../src/base/errors.ts'
import { type Params, resolveParams } from '../../../src/base/param.ts'
import { policies } from '../../../src/policies/index.ts'
import { started } from '../../../src/policies/policy.ts'
import { itemsOf } from '../../simulator/check-window.ts'
import { atRequests, requests, Talk } from '../requests.ts'

/** Five exchanges of ten tokens, and a sixth of which only the prompt has come. */
const five = () => {
  const talk = new Talk()
  for (const letter of 'abcde') talk.user(letter.repeat(4)).assistant(letter.toUpperCase().repeat(6))
  return talk.user('f').assistant('end')
}

/** Steps whose results have ten tokens each, and no other tokens but the prompt's. */
const steps = (...names: readonly string[]) => {
  const talk = new Talk().user('do')
  for (const [index, name] of names.entries()) {
    talk.calls({ name, input: { path: name }, result: `${index}`.repeat(10) })
  }
  return talk.assistant('done')
}

/** The last request that goes out. */
function last(given: Readonly<Record<string, unknown>>, talk: Talk, budget: number): string[] {
  return requests('knobs', talk.messages, { budget, given }).at(-1) as string[]
}

const results = (window: readonly string[]) =>
  window.filter((row) => row.startsWith('tool')).map((row) => row.replace('tool: ', '').slice(0, 6))
const letters = (window: readonly string[]) => window.map((row) => row.at(-1)).join('')
const masks = { unit: 'result', protect: 'nothing', operation: 'mask', text: '-', target: 'all' } as const

describe('left to themselves, the knobs', () => {
  it('drop the oldest messages while a request is over budget, and what is left without its call', () => {
    expect(last({}, five(), 30)).toEqual([
      'assistant: CCCCCC',
      'user: dddd',
      'assistant: DDDDDD',
      'user: eeee',
      'assistant: EEEEEE',
      'user: f',
    ])
    expect(last({}, steps('a', 'b'), 15)).toEqual(['assistant: ', 'tool: 1111111111'])
  })
})

describe('trigger', () => {
  it('acts over an amount, or at it', () => {
    const kept = (trigger: string, budget: number) =>
      last({ trigger, protect: 'nothing', target: 'all' }, five(), budget).length
    expect([kept('over', 51), kept('over', 50), kept('at', 51), kept('at', 52)]).toEqual([11, 0, 0, 11])
    expect([kept('over:0.5', 102), kept('over:1-9', 60), kept('over:1-9', 59), kept('over:51', 1)]).toEqual([
      11, 11, 0, 11,
    ])
  })

  it('joins conditions by + and alternatives by /', () => {
    const kept = (trigger: string) => last({ trigger, protect: 'nothing', target: 'all' }, five(), 1000).length
    expect([kept('messages:3+users:9'), kept('messages:3/users:9'), kept('over/users:3')]).toEqual([11, 2, 4])
  })

  it('waits for so many requests, or so much work, since it last acted', () => {
    const counts = (trigger: string) =>
      requests('knobs', five().messages, { budget: 1000, given: { trigger, protect: 'nothing', target: 'all' } }).map(
        ({ length }) => length,
      )
    expect(counts('every:2')).toEqual([1, 3, 0, 2, 0, 2])
    // The first two requests have 4 and 14 tokens.
    expect(counts('work:17')).toEqual([1, 3, 0, 2, 4, 0])
    expect(counts('work:18')).toEqual([1, 3, 5, 0, 2, 4])
  })

  it('waits until enough may be touched, of what nothing protects', () => {
    const masked = (trigger: string) => results(last({ ...masks, protect: 'last:1', trigger }, steps('a', 'b', 'c'), 1))
    expect(masked('prunable:20')).toEqual(['-', '-', '222222'])
    expect(masked('prunable:21')).toEqual(['000000', '111111', '222222'])
  })
})

describe('protect', () => {
  const masked = (protect: string, ...names: readonly string[]) =>
    results(last({ ...masks, trigger: 'always', protect }, steps(...names), 1))
      .map((result) => (result === '-' ? '-' : result[0]))
      .join('')

  it('lets its words act one after the other', () => {
    expect(masked('last:2+tool:a', 'b', 'b', 'a', 'b', 'a')).toBe('--234')
    expect(masked('tool:a+last:2', 'b', 'b', 'a', 'b', 'a')).toBe('-1234')
    expect(masked('only:b/c+first:1', 'a', 'b', 'c', 'b')).toBe('01--')
  })

  it('keeps the newest tokens, at least so many units, and what the model has not seen', () => {
    expect(masked('tail:29', 'a', 'b', 'c', 'd')).toBe('--23')
    expect(masked('tail:30', 'a', 'b', 'c', 'd')).toBe('-123')
    expect(masked('tail:5:3', 'a', 'b', 'c', 'd')).toBe('-123')
    expect(masked('unseen', 'a', 'b', 'c', 'd')).toBe('---3')
    expect(masked('events:3', 'a', 'b', 'c', 'd')).toBe('--23')
  })

  it('keeps what is pinned by a text in it, and the first words of the user', () => {
    const kept = (protect: string) =>
      letters(last({ protect, repair: 'none', trigger: 'always', target: 'all' }, five(), 1))
    expect(kept('pinned:CC')).toBe('C')
    expect(kept('first-user+last:2')).toBe('aEf')
    expect(kept('user')).toBe('abcdef')
    expect(kept('users:2')).toBe('eEf')
    expect(kept('exchanges:3')).toBe('dDeEf')
  })
})

describe('order', () => {
  const kept = (order: string, budget: number) =>
    letters(last({ order, unit: 'exchange', protect: 'last:1', target: 'watermark', repair: 'none' }, five(), budget))

  it('takes the oldest first, the newest first, or from the middle outwards', () => {
    expect(kept('oldest', 31)).toBe('cCdDeEf')
    expect(kept('newest', 31)).toBe('aAbBeEf')
    expect(kept('middle', 31)).toBe('aAdDeEf')
  })

  it('keeps an older unit that fits where a newer one does not', () => {
    const talk = new Talk()
      .user('a')
      .assistant('A')
      .user('b')
      .assistant('B'.repeat(40))
      .user('c')
      .assistant('C')
      .user('d')
      .assistant('D')
    const given = { unit: 'exchange', protect: 'last:1', repair: 'none' }
    expect(letters(last({ ...given, order: 'best-fit' }, talk, 10))).toBe('aAcCd')
    expect(letters(last({ ...given, order: 'oldest' }, talk, 10))).toBe('cCd')
  })
})

describe('operation', () => {
  it('masks only results that the same call has got again', () => {
    const given = { ...masks, trigger: 'always', operation: 'dedupe' }
    expect(results(last(given, steps('a', 'b', 'a', 'c'), 1))).toEqual(['-', '111111', '222222', '333333'])
    expect(results(last({ ...given, protect: 'first:1' }, steps('a', 'b', 'a', 'a'), 1))).toEqual([
      '000000',
      '111111',
      '-',
      '333333',
    ])
  })

  it('strips results and calls, and leaves what was said', () => {
    const talk = new Talk().user('do').calls({ name: 'a', input: { path: 'x'.repeat(50) }, result: '0'.repeat(10) })
    talk.calls({ name: 'b', input: { path: 'y' }, result: '1'.repeat(10) }).assistant('done')
    const given = { ...masks, trigger: 'always', protect: 'last:2' }
    const inputs = (operation: string, unit: string) =>
      atRequests('knobs', talk.messages, { budget: 1, given: { ...given, unit, operation } }, itemsOf)
        .at(-1)
        ?.map(({ message }) => message?.blocks)
    const [prompt, call, result, ...newest] = talk.messages.map(({ blocks }) => blocks)
    const emptied = call?.map((block) => ({ ...block, input: {} }))
    expect(inputs('strip', 'message')).toEqual([prompt, emptied, [{ type: 'text', text: '-' }], ...newest.slice(0, 2)])
    expect(inputs('strip', 'result')).toEqual([prompt, call, result, ...newest.slice(0, 2)])
    const step = { ...given, protect: 'last:1' }
    const both = ['strip', 'mask+clear-inputs'].map((operation) =>
      requests('knobs', talk.messages, { budget: 1, given: { ...step, unit: 'step', operation } }),
    )
    expect(both[0]).toEqual(both[1])
  })

  it('says how many tokens were masked: the bytes of the text over four, whatever the estimator counts', () => {
    const talk = new Talk().user('do').calls({ name: 'a', result: 'é'.repeat(51) }, { name: 'b', result: 'new' })
    const last = (name: string, given: object) =>
      requests(name, talk.messages, { budget: 1, given: { ...given }, tokens: () => 999 }).at(-1)
    talk.assistant('done')
    const line = 'tool: [result masked — ~25 tokens removed]'
    expect(last('knobs', { ...masks, trigger: 'always', protect: 'last:1', text: '' })).toContain(line)
    expect(last('mask-tool-results', { keepFirst: 0, keepLast: 1 })).toContain(line)
  })

  it('leaves a pointer, with the beginning and the end, where that is shorter', () => {
    const talk = new Talk()
      .user('do')
      .calls({ name: 'Read', result: `${'x'.repeat(20)}${'y'.repeat(20)}` }, { name: 'Read', result: 'short' })
    const given = {
      ...masks,
      trigger: 'always',
      operation: 'offload',
      text: '{tool} {characters} {lines} {head:2}{tail:3} {rest:5}',
    }
    expect(last(given, talk.assistant('done'), 1)).toContain('tool: Read 40 1 xxyyy 35')
    expect(last(given, talk, 1)).toContain('tool: short')
  })

  it('summarises what is taken, in one summary with what was summarised before', () => {
    const given = { unit: 'exchange', protect: 'last:1', operation: 'summarise:5', repair: 'none' }
    expect(last(given, five(), 26)).toEqual([
      'user: [summary, 5 tokens]',
      'user: dddd',
      'assistant: DDDDDD',
      'user: eeee',
      'assistant: EEEEEE',
      'user: f',
    ])
  })

  it('keeps what is protected between in front of the summary', () => {
    const given = { protect: 'user', operation: 'summarise:5', target: 'all', repair: 'none' }
    expect(last(given, five(), 50)).toEqual([
      'user: aaaa',
      'user: bbbb',
      'user: cccc',
      'user: dddd',
      'user: eeee',
      'user: [summary, 5 tokens]',
      'user: f',
    ])
  })

  it('puts a notice in the place of what left', () => {
    const given = {
      protect: 'first:1+last:1',
      unit: 'exchange',
      text: '{units} of {count}',
      target: 'all',
      repair: 'none',
    }
    expect(letters(last(given, five(), 50))).toBe('aA8f')
    expect(last(given, five(), 50)[2]).toBe('user: 4 of 8')
  })
})

describe('target', () => {
  const masked = (target: string, budget = 1) =>
    results(last({ ...masks, target }, steps('a', 'b', 'c', 'd', 'e'), budget)).filter((result) => result === '-')
      .length

  it('goes down to a watermark, or leaves so many units', () => {
    expect([masked('watermark', 51), masked('watermark:0.5', 51)]).toEqual([1, 3])
    const kept = (target: string) =>
      letters(last({ protect: 'nothing', target, repair: 'none', trigger: 'over' }, five(), 50))
    expect(kept('keep:3')).toBe('eEf')
  })

  it('takes a share of what may be touched, in multiples of a number', () => {
    const kept = (target: string) => letters(last({ protect: 'last:1', target, repair: 'none' }, five(), 50))
    expect(kept('fraction:0.5')).toBe('CdDeEf')
    expect(kept('fraction:0.5+quantise:2')).toBe('cCdDeEf')
    expect(kept('watermark+quantise:4')).toBe('cCdDeEf')
  })

  it('does nothing unless enough is freed', () => {
    expect([masked('all+least:50', 51), masked('all+least:51', 51)]).toEqual([5, 0])
    expect([masked('watermark+least:10', 51), masked('watermark+least:11', 51)]).toEqual([1, 0])
  })
})

describe('state', () => {
  it('judges what is left, or the whole history, in which what fits better comes back', () => {
    const counts = (state: string) =>
      requests('knobs', five().messages, {
        budget: 21,
        given: { state, unit: 'exchange', protect: 'last:1', target: 'all', repair: 'none' },
      }).map(letters)
    expect(counts('sticky')).toEqual(['a', 'aAb', 'c', 'cCd', 'e', 'eEf'])
    expect(counts('view')).toEqual(['a', 'aAb', 'c', 'd', 'e', 'f'])
  })

  it('gives back what fits again in a view', () => {
    const talk = new Talk().user('a').assistant('A').user('b'.repeat(8)).assistant('BBBB').user('c').assistant('C')
    const given = { unit: 'exchange', order: 'best-fit', repair: 'none' }
    const at = (state: string) =>
      requests('knobs', talk.messages, { budget: 9, given: { ...given, state } }).map(letters)
    expect(at('sticky')).toEqual(['a', 'b', 'c'])
    expect(at('view')).toEqual(['a', 'b', 'aAc'])
  })
})

describe('repair', () => {
  const talk = () =>
    new Talk()
      .user('do')
      .calls({ name: 'a', result: '0'.repeat(10) }, { name: 'b', result: '1'.repeat(10) })
      .assistant('done')
      .user('more')
      .assistant('end')
  const left = (repair: string, given = {}) =>
    last({ protect: 'last:3', repair, trigger: 'always', target: 'all', ...given }, talk(), 1)

  it('drops what is left without its other half, or begins with the user', () => {
    expect(left('none')).toEqual(['tool: 1111111111', 'assistant: done', 'user: more'])
    expect(left('results')).toEqual(['assistant: done', 'user: more'])
    expect(left('leading-results')).toEqual(['assistant: done', 'user: more'])
    expect(left('results+user')).toEqual(['user: more'])
    expect(left('pairs', { protect: 'first:2+last:3' })).toEqual(['user: do', 'assistant: done', 'user: more'])
  })

  it('says of a result whose call stays that it is missing', () => {
    expect(left('missing', { protect: 'first:2+last:2' })).toEqual([
      'user: do',
      'assistant: ',
      'tool: result missing',
      'tool: result missing',
      'assistant: done',
      'user: more',
    ])
  })

  it('summarises less rather than part a call from its results', () => {
    const given = { operation: 'summarise:1' }
    expect(left('none', given)[1]).toBe('tool: 1111111111')
    expect(left('whole', given)).toEqual([
      'user: [summary, 1 tokens]',
      'assistant: ',
      'tool: 0000000000',
      'tool: 1111111111',
      'assistant: done',
      'user: more',
    ])
  })
})

describe('what the knobs refuse', () => {
  const refused = (given: Readonly<Record<string, unknown>>) => {
    try {
      last(given, five(), 50)
      return null
    } catch (error) {
      return error instanceof CtxwinError ? error.message : String(error)
    }
  }

  it.each([
    { trigger: 'over:x' },
    { trigger: 'over:2:3' },
    { trigger: 'end+ingest' },
    { trigger: '' },
    { protect: 'last' },
    { protect: 'last:1:2' },
    { protect: 'tool:' },
    { protect: 'tool:a//b' },
    { target: 'watermark+all+keep:3' },
    { target: 'fraction:1.5' },
    { operation: 'drop+mask' },
    { operation: 'summarise:0' },
    { operation: 'truncate:8:middle' },
    { repair: 'all' },
    { measure: 'bytes' },
  ])('%o, with the words there are', (given) => {
    const [[key, value]] = Object.entries(given) as [[string, string]]
    expect(refused(given)).toContain(`knobs:${key}: ${JSON.stringify(value)} is not `)
  })

  it('knobs that do not go together', () => {
    expect(refused({ order: 'best-fit', target: 'all' })).toContain('knobs:order')
    expect(refused({ state: 'view', trigger: 'idle:60' })).toContain('knobs:state')
    expect(refused({ state: 'view', measure: 'usage' })).toContain('knobs:state')
    expect(refused({ role: 'system', operation: 'summarise:9' })).toContain('knobs:role')
  })

  it('takes a list where a knob takes several words', () => {
    expect(policies.get('knobs').params.protect?.parse(['tool:Read', 'last:3'])).toBe('tool:Read+last:3')
  })
})

describe('when the history starts anew', () => {
  it.each([
    { ...masks, trigger: 'always', protect: 'first:1', operation: 'dedupe' },
    { state: 'view', unit: 'batch', order: 'middle', text: '{units} gone', repair: 'missing' },
    { measure: 'usage', trigger: 'over/work:40/every:2', unit: 'step', protect: 'past+unseen', target: 'all' },
    { measure: 'latest', unit: 'exchange', protect: 'users:1', operation: 'summarise:5', target: 'all' },
    { trigger: 'units:2+answered', protect: 'user', target: 'keep:3', repair: 'pairs' },
  ])('nothing of the old one is left: %o', (given) => {
    const talk = steps('a', 'b', 'a', 'b').user('more').assistant('end').user('last').assistant('said')
    const plugin = policies.get('knobs')
    const values = resolveParams<Params>('knobs', plugin.params, given)
    const run = started({ plugin, values }, context)
    const again = () => requests({ ...plugin, start: () => run }, talk.messages, { budget: 30 })
    const first = again()
    run.restart?.()
    expect(again()).toEqual(first)
    expect(first).not.toEqual(requests('keep-all', talk.messages, { budget: 30 }))
  })
})

const context = {
  model: null,
  cwd: null,
  systemMessages: 0,
  compactions: [],
  clearings: [],
  recounts: [],
}
