import { describe, expect, it } from 'vitest'
import { requests, Talk } from './requests.ts'

const read = (name: string) => ({ name: 'read', result: name.repeat(10) })

describe('clairvoyant', () => {
  const talk = new Talk().user('q').calls(read('a')).calls(read('b')).calls(read('c')).assistant('done')
  const [a, b, c] = ['a', 'b', 'c'].map((name) => `tool: ${name.repeat(10)}`)
  const call = 'assistant: '

  it('keeps what will be used again, what is new, and the prompt', () => {
    // Message 4 is the result b; message 7 is the last response, which uses it.
    expect(requests('clairvoyant', talk.messages, { budget: 1000, users: new Map([[4, [7]]]) })).toEqual([
      ['user: q'],
      ['user: q', call, a],
      ['user: q', call, b],
      ['user: q', call, b, call, c],
    ])
  })

  it('keeps what will be named, too, where it is asked to', () => {
    const told = {
      budget: 1000,
      users: new Map([[4, [7]]]),
      usersByName: new Map([
        [2, [7]],
        [4, [7]],
      ]),
    }
    const last = (keep: string) => requests('clairvoyant', talk.messages, { ...told, given: { keep } }).at(-1)
    expect(last('content')).toEqual(['user: q', call, b, call, c])
    expect(last('names')).toEqual(['user: q', call, a, call, b, call, c])
  })

  it('drops what is used last while the rest is over the budget', () => {
    const more = new Talk().user('q').calls(read('a')).calls(read('b')).calls(read('c')).assistant('d').user('e')
    more.assistant('f')
    const users = new Map([
      [2, [9]],
      [4, [7]],
    ])
    expect(requests('clairvoyant', more.messages, { budget: 25, users })[3]).toEqual(['user: q', call, b, call, c])
    expect(requests('clairvoyant', more.messages, { budget: 35, users })[3]).toEqual([
      'user: q',
      call,
      a,
      call,
      b,
      call,
      c,
    ])
  })

  it('clears the results beside one that will be used, and keeps the prompt of an exchange of which something stays', () => {
    const two = new Talk()
      .user('q')
      .calls(read('a'), read('b'))
      .assistant('d')
      .user('e')
      .assistant('f')
      .user('g')
      .assistant('h')
    expect(requests('clairvoyant', two.messages, { budget: 1000, users: new Map([[2, [8]]]) }).slice(1)).toEqual([
      ['user: q', call, a, b],
      ['user: q', call, a, 'tool: [cleared]', 'assistant: d', 'user: e'],
      ['user: q', call, a, 'tool: [cleared]', 'user: e', 'assistant: f', 'user: g'],
    ])
  })

  it('drops nothing that will be used where no request could be within the budget', () => {
    const window = requests('clairvoyant', talk.messages, { budget: 5, users: new Map([[4, [7]]]) })[3]
    expect(window).toEqual(['user: q', call, b, call, c])
  })
})
