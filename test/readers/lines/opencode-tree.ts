/** Writes a session as opencode kept it up to 1.1: a file for itself, for each message and for each part. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

interface Entry {
  readonly info: Readonly<Record<string, unknown>>
  readonly parts: readonly Readonly<Record<string, unknown>>[]
}

const model = { providerID: 'anthropic', modelID: 'claude-sonnet-4-5' }

export const tokens = { input: 40, output: 50, reasoning: 10, cache: { read: 3000, write: 1600 } }

export const entries: readonly Entry[] = [
  {
    // Ids follow the order of time, but what was imported may not: the times decide.
    info: { id: 'msg_9', role: 'user', time: { created: 1781886356900 }, model },
    parts: [{ id: 'prt_1', type: 'text', text: 'Which figs survive frost?' }],
  },
  {
    info: { id: 'msg_2', role: 'assistant', time: { created: 1781886357000 }, ...model, cost: 0.0079, tokens },
    parts: [
      { id: 'prt_1', type: 'text', text: 'I look.' },
      {
        id: 'prt_2',
        type: 'tool',
        callID: 'call_1',
        tool: 'grep',
        state: {
          status: 'completed',
          input: { pattern: 'frost' },
          output: 'Brown Turkey',
          time: { end: 1781886358000 },
        },
      },
    ],
  },
]

/** @param file of the session, below `storage/session/`; its name is the id */
export function writeTree(file: string, info: Readonly<Record<string, unknown>>): void {
  const storage = dirname(dirname(dirname(file)))
  const put = (path: string, value: unknown) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, JSON.stringify(value))
  }
  put(file, info)
  for (const { info: message, parts } of entries) {
    put(join(storage, `message/${info.id}/${message.id}.json`), { ...message, sessionID: info.id })
    for (const part of parts)
      put(join(storage, `part/${message.id}/${part.id}.json`), { ...part, messageID: message.id })
  }
}
