/** Sessions of Claude Code of which the provider counted each request, or nobody did. */
import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Told {
  /** Tells it from the others. */
  readonly session: number
  /** What the provider counted beyond a hundred tokens a message; null where nothing was recorded. */
  readonly hidden: number | null
  readonly version?: string
  readonly requests?: number
}

export function toldSession({ session, hidden, version = '2.1.17', requests = 5 }: Told): string {
  const sessionId = `00000000-0000-4000-8000-${String(session).padStart(12, '0')}`
  let parentUuid: string | null = null
  const records = Array.from({ length: 2 * requests }, (_, at) => {
    const uuid = `${sessionId}-${at}`
    const input_tokens = (hidden ?? 0) + 100 * at
    const usage = { input_tokens, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 20 }
    const answer = {
      ...{ id: `msg_${session}_${at}`, type: 'message', role: 'assistant', model: 'claude-sonnet-4-5-20250929' },
      content: [{ type: 'text', text: `The ${at} hills of session ${session}, and a lake behind them.` }],
      ...(hidden !== null && { usage }),
    }
    const prompt = { role: 'user', content: `Where does river ${at} of session ${session} come from?` }
    const record = {
      ...{ parentUuid, isSidechain: false, userType: 'external', cwd: '/home/ada/app', sessionId, version, uuid },
      ...(at % 2 === 0 ? { type: 'user', message: prompt } : { type: 'assistant', message: answer }),
      timestamp: new Date(Date.UTC(2026, 2, 1 + session, 9, at)).toISOString(),
    }
    parentUuid = uuid
    return JSON.stringify(record)
  })
  return `${records.join('\n')}\n`
}

/** A directory with these files, which nobody has written to for a day. */
export function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'ctxwin-told-'))
  const yesterday = new Date(Date.now() - 864e5)
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text)
    utimesSync(join(folder, name), yesterday, yesterday)
  }
  return folder
}

/** Ten that tell of their preambles, between 19,000 and 21,000 tokens, and one that does not. */
export const ten: readonly Told[] = Array.from({ length: 10 }, (_, at) => ({
  session: at + 1,
  hidden: 19_000 + ((at * 7) % 10) * 220,
}))
export const blind: Told = { session: 11, hidden: null }

export const named = (sessions: readonly Told[], prefix = 's'): Record<string, string> =>
  Object.fromEntries(
    sessions.map((one) => [`${prefix}${String(one.session).padStart(2, '0')}.jsonl`, toldSession(one)]),
  )
