/** `export`: a replay as tables, in a database or in files; or transcripts in another form. */
import { join, resolve } from 'node:path'
import { exportSources } from '../../app/export/export.ts'
import { wordAmong } from '../../base/errors.ts'
import { lock } from '../../cache/lock.ts'
import { several } from '../../reports/numbers.ts'
import { ddl, dialects } from '../../tables/ddl.ts'
import type { OpenStore } from '../../tables/store.ts'
import { openStore } from '../../tables/stores/index.ts'
import type { Call } from '../inputs/call.ts'
import { convertedTo } from '../inputs/commands.ts'
import { misuse } from '../inputs/misuse.ts'
import { planOf } from '../inputs/options.ts'
import { Reading } from '../inputs/reading.ts'
import { openSession } from '../inputs/session.ts'
import { draftsIn, keep, removeAtEnd, targetOf } from '../output/whole-file.ts'
import { databaseFile } from './exporting/database-file.ts'
import { windowsOf } from './views/windows.ts'

export async function run(call: Call): Promise<number> {
  const { flags, world } = call
  if (convertedTo.some((form) => form === flags.to)) return (await import('./exporting/convert.ts')).convert(call)
  const session = await openSession(call)
  if (flags.ddl !== undefined) {
    await session.output.write(ddl(wordAmong(dialects, '--ddl', flags.ddl)))
    return 0
  }
  if (flags.to === undefined) {
    throw misuse(`name a place with --to, such as sqlite:windows.db; or a form: ${convertedTo.join(', ')}`)
  }
  const plan = { ...(await planOf(session, world)), copies: true }
  const reading = await Reading.of(call, session, { pauses: true })
  const path = (place: string) => resolve(world.cwd(), place)
  let release = () => {}
  let store: OpenStore | null = null
  try {
    store = await openStore(String(flags.to), {
      database(place, name) {
        release = hold(`${targetOf(path(place), name, 'append').path}.ctxwin`)
        return databaseFile(path(place), name)
      },
      directory(name) {
        const open = draftsIn(path(name), name)
        release = hold(join(path(name), '.ctxwin'))
        return open
      },
    })
    const resume = flags.resume === true
    if (resume && !store.has) throw misuse('--resume needs a database: files are always written from the start')
    const how = { ...reading.how, content: flags.content === true, resume }
    const { transcripts, runs, present } = await exportSources(reading.sources(), plan, how, store, reading.unread)
    const code = reading.finish(transcripts + present)
    const there = present === 0 ? '' : `; ${several(present, 'transcript')} there already`
    if (transcripts + present > 0) {
      world.note(
        `exported ${several(transcripts, 'transcript')} in ${several(runs, 'run')} under ${windowsOf(plan)}${there}`,
      )
    }
    return code
  } finally {
    await store?.close()
    release()
  }
}

/**
 * Keeps other runs away until this one is over: one that fails removes a database that it takes for its own, and the
 * files of two would stand beside each other.
 */
function hold(file: string): () => void {
  const release = lock(file)
  removeAtEnd(`${file}.lock`)
  return () => {
    keep(`${file}.lock`)
    release()
  }
}
