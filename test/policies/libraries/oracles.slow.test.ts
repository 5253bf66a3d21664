/** The policies against the libraries' own code, if that is installed: npm ci --prefix tools/oracles. */
import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { conversation } from '../../../tools/oracles/conversations.mjs'
import { type Answer, type Talk, windowsOf } from './windows.ts'

const folder = new URL('../../../tools/oracles/', import.meta.url)
const isInstalled = existsSync(new URL('node_modules/langchain', folder))

interface Oracles {
  readonly oracles: Readonly<Record<string, unknown>>
  answersOf(name: string, talk: Talk, seed: number): Promise<Answer>
}

const none: Oracles = {
  oracles: { 'not installed': null },
  answersOf: () => Promise.reject(new Error('not installed')),
}
const { oracles, answersOf }: Oracles = isInstalled ? await import(new URL('oracles.mjs', folder).href) : none

/** Conversations by policy; each is asked before every request, so that is some thousands of windows. */
const talks = 300

describe.skipIf(!isInstalled)('on random conversations', () => {
  it.each(Object.keys(oracles))('%s keeps at every request what the library keeps', async (name) => {
    for (let seed = 1000; seed < 1000 + talks; seed++) {
      const talk = conversation(seed)
      const answer = await answersOf(name, talk, seed)
      expect({ seed, ...answer, windows: windowsOf(talk, answer) }).toEqual({ seed, ...answer })
    }
  })
})
