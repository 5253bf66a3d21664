/** Recorded sessions of others, where they are at hand: each is read, and its responses are counted once more the slow way. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openFile } from '../../../src/readers/lines/source.ts'
import { sampled } from '../../whole.ts'
import { readSource } from '../reading.ts'

const corpus = join(process.env.CTXWIN_CORPUS ?? '../shared/corpus', 'claude-code')

describe.skipIf(!existsSync(corpus))('real sessions of Claude Code', () => {
  const files = existsSync(corpus)
    ? readdirSync(corpus, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.jsonl'))
    : []

  it.each(sampled(files, 5))('are read whole and counted once: %s', async (file) => {
    const { traces, report } = await readSource(openFile(join(corpus, file)))
    expect(report.format).toBe('claude-code')
    expect(traces).toHaveLength(1)
    const trace = traces[0]!
    const text = readFileSync(join(corpus, file), 'utf8')
    const expected = recount(text, trace.head.parent !== null)
    expect(trace.requests).toBe(expected.size)
    const inputs = Array.from({ length: trace.requests }, (_, request) => trace.usage(request)?.input ?? 0)
    expect(inputs).toEqual([...expected.values()])
    const orphans = (trace.messages ?? []).filter(({ role }, index) => role === 'tool' && trace.call(index) === -1)
    // In a session without its beginning, the calls of some results are not recorded.
    expect(orphans.filter(({ callId }) => text.includes(`"id":"${callId}"`))).toEqual([])
  })

  /** Each distinct (message.id, requestId) outside abandoned branches, with the input of its last line. */
  function recount(text: string, side: boolean): Map<string, number> {
    const parsed = (part: string) => {
      try {
        return [JSON.parse(part)]
      } catch {
        return []
      }
    }
    // What a program that hides secrets has left of an escape is no letter.
    const sound = text.replaceAll(/\\(["\\/bfnrt]|u[\da-f]{4})|\\./gi, (sign, known) => (known ? sign : '\ufffd'))
    const records = sound.split('\n').flatMap((line) => {
      const [whole] = parsed(line)
      return whole ? [whole] : line.split(/(?<=\})(?=\{"(?:type|parentUuid)":)/).flatMap(parsed)
    })
    const prompts = records.filter(
      ({ type, message, isSidechain }) =>
        type === 'user' && isSidechain !== !side && !JSON.stringify(message.content).includes('"tool_result"'),
    )
    const abandoned = new Set(
      prompts
        .filter(({ parentUuid }, at) => parentUuid && prompts.slice(at + 1).some((p) => p.parentUuid === parentUuid))
        .map(({ uuid }) => uuid),
    )
    const responses = new Map<string, number>()
    for (const { type, uuid, parentUuid, message, requestId, isSidechain, isApiErrorMessage } of records) {
      if (abandoned.has(parentUuid)) abandoned.add(uuid)
      if (type !== 'assistant' || isSidechain === !side || isApiErrorMessage || message.model === '<synthetic>')
        continue
      if (abandoned.has(uuid)) continue
      const whole = message.usage ?? {}
      // Once the counts of the whole were lost, and those of its call were not.
      const counts = whole.input_tokens === 0 && whole.output_tokens === 0 ? (whole.iterations?.[0] ?? whole) : whole
      const { input_tokens = 0, cache_creation_input_tokens = 0, cache_read_input_tokens = 0 } = counts
      responses.set(
        `${message.id ?? uuid} ${requestId}`,
        input_tokens + cache_creation_input_tokens + cache_read_input_tokens,
      )
    }
    return responses
  }
})
