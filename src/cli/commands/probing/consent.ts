/**
 * Before the words of transcripts leave this machine for the first time, a person sees some of them, and where they go.
 */
import { join } from 'node:path'
import { withoutSecrets } from '../../../base/addresses.ts'
import { jsonText } from '../../../base/json-text.ts'
import { userDirectory } from '../../../base/user-directory.ts'
import { readOwn } from '../../../cache/directory.ts'
import { writeEntry } from '../../../cache/store.ts'
import { grouped, several } from '../../../reports/numbers.ts'
import { misuse } from '../../inputs/misuse.ts'
import type { World } from '../../output/world.ts'

export interface Leaving {
  readonly url: string
  readonly model: string
  readonly requests: number
  /** Estimated, of all of them. */
  readonly tokens: number
  readonly body: Readonly<Record<string, unknown>>
}

/** Lines of the body that are shown. */
const shown = 30

/**
 * Asks for a yes, unless this was allowed before: by this user, as what is written down of it lies in a directory of
 * the user's own.
 * @param plan the key of all that the answer is about
 * @param leaving made only to be shown
 * @throws CtxwinError where nobody is there to give it
 */
export async function isAllowed(world: World, plan: string, leaving: () => Promise<Leaving>): Promise<boolean> {
  const directory = userDirectory('config', world.env)
  const file = directory === null ? null : join(directory, 'consent', plan)
  if (world.stdin.isTTY === true && isThere(file)) return true
  const isYes = await asked(world, await leaving())
  try {
    if (isYes && file !== null) writeEntry(file, [Buffer.from('yes\n')])
  } catch {
    // Where it cannot be written down, it is asked again.
  }
  return isYes
}

function isThere(file: string | null): boolean {
  try {
    return file !== null && readOwn(file).bytes.length > 0
  } catch {
    return false
  }
}

async function asked(world: World, leaving: Leaving): Promise<boolean> {
  const { url, model, requests, tokens, body } = leaving
  const words = `up to ${several(requests, 'request')} for ${model}, about ${grouped(tokens)} tokens of your transcripts, go to ${withoutSecrets(url)}`
  if (world.stdin.isTTY !== true || world.status === null) {
    throw misuse(`${words}: say --yes to send them`)
  }
  const lines = jsonText(body, 1).split('\n')
  world.say(words, [
    'The first of them begins so:',
    ...lines.slice(0, shown),
    ...(lines.length > shown ? [`… ${lines.length - shown} more lines`] : []),
  ])
  world.say('Send them? Type yes:')
  const answer = await lineFrom(world.stdin)
  return /^\s*y(es)?\s*$/i.test(answer)
}

/** How input ends: 'end' as a user ends it, the others where the terminal is gone. */
const ends = ['end', 'error', 'close'] as const

/** The next line that is typed, or what there is of it at the end. */
function lineFrom(stdin: World['stdin']): Promise<string> {
  return new Promise((done) => {
    let text = ''
    const finish = (): void => {
      stdin.off('data', take)
      for (const end of ends) stdin.off(end, finish)
      stdin.pause()
      done(text.split('\n')[0] as string)
    }
    const take = (chunk: Buffer | string): void => {
      text += String(chunk)
      if (text.includes('\n')) finish()
    }
    stdin.on('data', take)
    for (const end of ends) stdin.on(end, finish)
    stdin.resume()
  })
}
