/** The law of what is printed to be pasted: hostile words of settings stand inside its literals, as its language reads it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { emitters } from '../../src/app/emit.ts'
import { resolveParams } from '../../src/base/param.ts'
import { policies, turnOnOf } from '../../src/policies/index.ts'
import { runCli } from '../cli/run.ts'
import { logCommands } from '../hostile-words.ts'
import { javascriptCode } from '../javascript-code.ts'
import { type Code, hasPython, pythonCode } from '../python-code.ts'
import { sampled } from '../whole.ts'

/** In the place of each hostile word: what differs then is no literal. */
const plain = 'plain'

const json = (text: string): Code => {
  const words: string[] = []
  const shape = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) {
      if (typeof value === 'string') words.push(value)
      return typeof value === 'string' ? '' : value
    }
    return Array.isArray(value) ? value.map(shape) : Object.entries(value).map(([key, one]) => [key, shape(one)])
  }
  return { shape: JSON.stringify(shape(JSON.parse(`{${text}}`))), words }
}

export function pastedLaws(words: readonly string[]): void {
  const cwd = mkdtempSync(join(tmpdir(), 'ctxwin-words-'))
  afterAll(() => rmSync(cwd, { recursive: true }))

  describe('the line that turns a policy on', () => {
    /** Policies and their params that take any word. */
    const params = policies.all.flatMap((policy) =>
      Object.entries(policy.params)
        .filter(([, param]) => param.parse(plain) !== undefined)
        .map(([key]) => ({ policy, key })),
    )
    /** All values of the params that have a few, one after the other: they choose among the lines. */
    const choicesOf = (of: (typeof params)[number]['policy'], but: string): Record<string, string>[] => [
      {},
      ...Object.entries(of.params).flatMap(([key, { expected, parse }]) =>
        key === but
          ? []
          : expected
              .replace(/^one of /, '')
              .split(/, | or /)
              .filter((word) => parse(word) !== undefined)
              .map((word) => ({ [key]: word })),
      ),
    ]
    const lines = params.flatMap(({ policy, key }) =>
      choicesOf(policy, key).flatMap((choices) =>
        [plain, ...words].flatMap((word) => {
          if (policy.params[key]?.parse(word) === undefined) return []
          const values = resolveParams(policy.name, policy.params, { ...choices, [key]: word })
          const how = turnOnOf(policy, values, 100_000)
          return how === null ? [] : [{ name: `${policy.name} ${JSON.stringify(choices)}`, key, word, text: how.text }]
        }),
      ),
    )

    it.skipIf(!hasPython)('has a word of a param in one literal of its language (needs python3)', () => {
      expect(params.length).toBeGreaterThan(4)
      const python = pythonCode(lines.map(({ text }) => text))
      const found = lines.map(({ text }, at): Code => {
        if (text.startsWith('"')) return json(text)
        const { shape } = python[at] as Code
        return shape.startsWith('SyntaxError') ? javascriptCode(text) : (python[at] as Code)
      })
      const planted = new Set<string>()
      for (const [at, { name, key, word }] of lines.entries()) {
        if (word === plain) continue
        const { shape, words: own } = found[at] as Code
        const first = lines.findIndex((one) => one.name === name && one.key === key && one.word === plain)
        const { shape: plainShape, words: plainWords } = found[first] as Code
        expect(plainShape, name).not.toMatch(/Error:/)
        // Such as a text of ours that no program has a setting for.
        if (!plainWords.includes(plain)) continue
        planted.add(name.replace(/ .*/, ''))
        // Words that are joined by + are a list.
        const parts = word.split('+')
        expect(own.slice(plainWords.indexOf(plain)).slice(0, parts.length), `${name}: ${word}`).toEqual(parts)
        if (parts.length === 1) expect(shape, `${name}: ${word}`).toBe(plainShape)
      }
      expect([...planted].sort()).toEqual([
        'anthropic-clear-tool-uses',
        'langchain-clear-tool-uses',
        'openai-tool-trimmer',
        'vercel-prune',
      ])
    })

    it('commands no CI runner', () => {
      expect(lines.flatMap(({ text }) => logCommands(text))).toEqual([])
    })
  })

  describe('emit', () => {
    /** A model and a text of a policy, both of the same word. What runs in an agent takes no comma in a text. */
    async function emitted(word: string, target: string): Promise<string> {
      const text = target !== 'python' && word.includes(',') ? plain : word
      const policies = { mine: [{ knobs: { operation: 'mask', text } }] }
      const config = { policies, policy: 'mine', budget: '100k', model: word }
      writeFileSync(join(cwd, 'ctxwin.config.json'), JSON.stringify(config))
      const { code, stdout, stderr } = await runCli(['emit', '--for', target], { cwd })
      expect([code, stderr.replace(/ctxwin: \S+ in .*unknown model .*\n/, '')], word).toEqual([0, ''])
      expect(logCommands(stdout + stderr)).toEqual([])
      return stdout
    }

    const targets = Object.keys(emitters).filter((target) => target !== 'python')

    it.each(targets)('has a word in literals alone, for %s', async (target) => {
      const { shape, words: own } = javascriptCode(await emitted(plain, target))
      for (const word of words) {
        const code = javascriptCode(await emitted(word, target))
        expect(code.shape, word).toBe(shape)
        const text = word.includes(',') ? plain : word
        expect(code.words, word).toEqual(
          own.map((one) => (one === plain ? word : one.replace(/(?<=text=)plain/, () => text))),
        )
      }
    })

    it.skipIf(!hasPython)('has a word in literals alone, for python (needs python3)', async () => {
      const texts: string[] = []
      // Those for Python, and a few of the others: test/laws/quoting.test.ts asks Python of a string of any.
      const some = [...words.slice(0, 6), ...sampled(words.slice(6), 8)]
      for (const word of [plain, ...some]) texts.push(await emitted(word, 'python'))
      const [first, ...codes] = pythonCode(texts)
      expect(first?.shape).not.toMatch(/Error:/)
      for (const [at, { shape, words: found }] of codes.entries()) {
        expect(shape === first?.shape, some[at]).toBe(true)
        expect(found).toEqual(first?.words.map((one) => (one === plain ? some[at] : one)))
      }
    })
  })
}
