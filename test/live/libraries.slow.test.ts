/** The messages of libraries go out as a replay of the same messages shows them, and what nothing was done to as the very objects. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openFile, readTraces } from '../../src/app/index.ts'
import type { Form } from '../../src/live/forms/form.ts'
import { opencode, pi } from '../../src/live/forms.ts'
import { live } from '../../src/live/index.ts'
import type { Message } from '../../src/model/message.ts'
import { transcripts } from '../laws/transcripts.ts'
import { expectAsReplayed, models } from './as-replayed.ts'
import { libraries, readBy } from './libraries.ts'
import { planFor, tried } from './tried.ts'

for (const library of libraries) {
  const { name, form, elementsOf } = library
  describe(`messages of ${name}`, () => {
    it('go back as they came where nothing was done', () => {
      fc.assert(
        fc.property(transcripts, (messages) => {
          const history = elementsOf(messages)
          const { messages: sent } = live('drop-oldest', { api: form, budget: '10M' }).next(history)
          expect(sent.length).toBe(history.length)
          for (const [at, one] of sent.entries()) expect(one).toBe(history[at])
        }),
        { numRuns: 20 },
      )
    })

    for (const policy of tried) {
      it(`go out under ${policy} as they do in a replay`, () => {
        fc.assert(
          fc.property(transcripts, fc.integer({ min: 20, max: 900 }), fc.constantFrom(...models), (messages, ...more) =>
            expectAsReplayed(library, messages, policy, ...more),
          ),
          { numRuns: 12 },
        )
      })
    }
  })
}

const corpus = '../shared/corpus'

/** Entries of pi that change what is sent otherwise than by a message more. */
const more = /"type":"(?:compaction|branch_summary|custom_message|context_edit|session_init)"/

/** The messages of a recorded session, as a plugin or an extension would be given them; null where it is no plain list. */
const recorded = [
  {
    ...{ form: opencode as Form<unknown>, folder: 'opencode-export' },
    listIn: (text: string): unknown[] => JSON.parse(text).messages,
  },
  {
    ...{ form: pi as Form<unknown>, folder: 'pi' },
    listIn(text: string): unknown[] | null {
      const lines = text.trim().split('\n')
      const entries: readonly Entry[] = lines.flatMap((line) => jsonOf(line) ?? [])
      const isList = entries.slice(2).every(({ parentId }, at) => parentId === entries[at + 1]?.id)
      const isPlain = isList && entries.length === lines.length && !more.test(text)
      return isPlain ? entries.flatMap(({ message }) => message ?? []) : null
    },
  },
]

type Entry = Readonly<{ id?: string; parentId?: string; message?: object }>

/** Null for a line that is damaged. */
function jsonOf(line: string): Entry | null {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

const meant = ({ role, blocks, callId, toolName, origin, continues, isError }: Message) => ({
  ...{ role, blocks, callId, toolName, origin, continues, isError },
})

describe.skipIf(!existsSync(corpus)).each(recorded)(
  'messages of recorded sessions: $folder',
  ({ form, folder, listIn }) => {
    it('mean to an agent what they mean in a transcript, and go back as they came', { timeout: 60_000 }, async () => {
      let seen = 0
      const files = readdirSync(join(corpus, folder), { recursive: true, encoding: 'utf8' })
        .map((name) => join(corpus, folder, name))
        .filter((file) => /\.jsonl?$/.test(file) && statSync(file).size < 3_000_000)
      for (const file of files) {
        const text = readFileSync(file, 'utf8')
        if (folder === 'opencode-export' && file.endsWith('l')) continue
        const history = listIn(text)
        if (history === null) continue
        for await (const trace of readTraces([openFile(file)], { plan: planFor('knobs', 0) })) {
          if (trace.compactions.length > 0) continue
          expect(readBy(form, history, trace.head.provider).map(meant)).toEqual(trace.messages?.map(meant))
          const { messages } = live('drop-oldest', { api: form, budget: '100M', model: trace.head.model ?? '' }).next(
            history,
          )
          expect(messages.every((one) => history.includes(one))).toBe(true)
          seen += history.length
        }
      }
      expect(seen).toBeGreaterThan(200)
    })
  },
)
