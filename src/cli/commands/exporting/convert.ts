/** `export --to` a form: transcripts in another form, in one stream or in a file each. */
import { existsSync, statSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'
import { unpruned } from '../../../app/answer/candidates.ts'
import { type Conversion, convertSources, nothingYet } from '../../../app/export/convert.ts'
import { forms } from '../../../app/export/forms/index.ts'
import { CtxwinError, choose, policies as policiesKnown } from '../../../app/index.ts'
import type { Call } from '../../inputs/call.ts'
import { misuse } from '../../inputs/misuse.ts'
import { isDefault, planOf } from '../../inputs/options.ts'
import { Reading } from '../../inputs/reading.ts'
import { openSession } from '../../inputs/session.ts'
import { draftsIn, writing } from '../../output/whole-file.ts'
import type { World } from '../../output/world.ts'

export async function convert(given: Call): Promise<number> {
  const { world } = given
  const directory = directoryOf(given)
  // Files in a directory are never overwritten, so the directory needs no check against the inputs.
  const flags = directory === null ? given.flags : { ...given.flags, outputFile: undefined }
  const call: Call = { ...given, flags }
  const session = await openSession(call)
  const { settings, output } = session
  const form = forms().get(String(flags.to))
  const plan = await planOf(session, world)
  // A transcript is converted as it is, unless a budget is named.
  const isWhole = isDefault(settings, 'budget')
  const policies = isWhole && isDefault(settings, 'policy') ? [choose(policiesKnown.get(unpruned))] : plan.policies
  const budgets = isWhole ? [0] : plan.budgets
  if (policies.length > 1 || plan.estimators.length > 1 || budgets.length > 1) {
    throw misuse('a conversion has one result: name one policy, one budget and one estimator')
  }
  const reading = await Reading.of(call, session)
  const converted = nothingYet()
  const how = { ...plan, policies, budgets, references: false }
  const conversions = convertSources(reading.sources(), how, reading.how, form, converted, reading.unread)
  const first = await conversions.next()
  if (!first.done) {
    const all = (async function* () {
      yield first.value
      yield* conversions
    })()
    if (directory === null) await output.write(linesOf(all))
    else await writeEach(all, directory, world)
  }
  const { transcripts, unheld } = converted
  const code = reading.finish(transcripts)
  const named = [...unheld.counts].map(([what, count]) => `${count} ${what}`)
  if (named.length > 0) world.note(`${form.name} cannot hold, and leaves out:`, named)
  return code
}

async function* linesOf(conversions: AsyncIterable<Conversion>): AsyncGenerator<string> {
  for await (const { lines } of conversions) yield* lines
}

/** The directory that `-o` names: it is one, or is to be one, as a slash at its end says. */
function directoryOf({ flags, world }: Call): string | null {
  const name = flags.outputFile
  if (typeof name !== 'string' || name === '') return null
  if (/[\\/]$/.test(name)) return name
  const old = writing(name, () => statSync(resolve(world.cwd(), name), { throwIfNoEntry: false }))
  return old?.isDirectory() ? name : null
}

/** @throws CtxwinError where a file of that name stands already */
async function writeEach(conversions: AsyncIterable<Conversion>, name: string, world: World): Promise<void> {
  const directory = resolve(world.cwd(), name)
  const draftOf = draftsIn(directory, name)
  const taken = new Map<string, number>()
  for await (const { file, lines } of conversions) {
    const written = freeName(baseOf(file), taken)
    if (existsSync(join(directory, written))) {
      throw new CtxwinError('unwritable', join(name, written), 'it is there already: name a directory without it')
    }
    const draft = draftOf(written)
    try {
      for (const line of lines) draft.write(line)
      draft.complete()
    } finally {
      draft.discard()
    }
  }
}

/**
 * `base.jsonl`, or `base~2.jsonl`, … where that is taken, on a file system that takes upper case for lower, too.
 * @param taken by name how often it was asked for: a file may hold a hundred thousand transcripts
 */
function freeName(base: string, taken: Map<string, number>): string {
  const key = base.toLowerCase()
  const nth = (taken.get(key) ?? 0) + 1
  taken.set(key, nth)
  if (nth === 1) return `${base}.jsonl`
  const numbered = `${base}~${nth}`
  if (taken.has(numbered.toLowerCase())) return freeName(base, taken)
  taken.set(numbered.toLowerCase(), 1)
  return `${numbered}.jsonl`
}

/** The name of a file without its folders and endings, as any file system takes it. */
function baseOf(file: string): string {
  const name = posix.basename(file.replaceAll('\\', '/'))
  const base = name.replace(/(\.(jsonl|ndjson|json|eval|log|traj|har|parquet|csv|zip|gz|zst))+$/i, '')
  const plain = base.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[.-]+/, '')
  // Long enough for ids, and short of every file system's limit with a number behind it.
  return plain.slice(0, 60) || 'transcript'
}
