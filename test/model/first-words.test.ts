import { describe, expect, it } from 'vitest'
import { firstWords } from '../../src/model/first-words.ts'

describe('firstWords', () => {
  it('begins behind what Copilot puts in front of a prompt, however long that is', () => {
    const time = '<current_datetime>noon</current_datetime>'
    const tools = `<tools_changed_notice>${'a tool\n'.repeat(1_000)}</tools_changed_notice>`
    expect(firstWords(`${time}\n\nIs the lamp on?`)).toBe('Is the lamp on?')
    expect(firstWords(`${time}\n\n${tools}\n\nIs the\nlamp on?`)).toBe('Is the lamp on?')
  })

  it('leaves tags as they are that the prompt is about, that never end, or that are all there is', () => {
    for (const text of [
      'What is <current_datetime>noon</current_datetime>?',
      '<current_datetime>noon',
      '<current_datetime>noon</current_datetime>',
    ]) {
      expect(firstWords(text)).toBe(text)
    }
  })
})
