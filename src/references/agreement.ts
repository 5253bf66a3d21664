/** Whether a model would have done the same: two next actions compared, without a model that judges. */
import type { Agreement, AgreementShares, NextAction, Share } from '../model/probe.ts'
import { editsByCall } from './content/edits.ts'
import { textsOf } from './content/taken-over.ts'
import { shellTargets } from './targets/shell-target.ts'
import { sentToShell, type ToolTarget, toolTargets } from './targets/tool-target.ts'
import { createExtractor, parsedInput } from './terms/extractor.ts'
import { normalCwd, pathKey } from './terms/paths.ts'
import { urlKey } from './terms/urls.ts'

type Call = NextAction['calls'][number]

/**
 * Two answers, or two inputs, are the same from this overlap on: of what both name, half is named by both. Asking a
 * model twice gives other words for the same, so that equal texts would be too much to ask; and what asking twice does
 * not give is the floor that a policy is held to.
 */
const sameFrom = 0.5

/** An argument up to this length is a name by itself; of a longer one, what its text names. */
const longestName = 80

/**
 * Compares in tiers. Symmetric, and every action is the same as itself. The order of calls does not count.
 *
 * - A file is the same however its path is written (docs/references.md); which of its lines are read does not count.
 * - A command is its text: white space folded, the working directory left out of its paths, a `cd` in front that goes there
 *   dropped, and the words in `bash -lc` taken for the command. Flags keep their order, as it may mean something.
 * - An edit is what goes and what comes, without what stands around it: so the same edit by a patch and by its two texts is the
 *   same. White space within lines is folded and empty lines are left out, so the indentation does not count.
 * - Answers name paths, URLs, identifiers and numbers (docs/references.md). Where neither names any, their words are compared.
 *   Overlap is Dice's coefficient.
 *
 * @param cwd the working directory, so that a path in it is the same as its relative one; null where it is not known
 */
export function agreementOf(one: NextAction, other: NextAction, cwd: string | null = null): Agreement {
  const place = normalCwd(cwd ?? undefined)
  const fileOf = fileNumbers(place)
  const answers = one.calls.length === 0 && other.calls.length === 0
  const [targets, moreTargets] = [one, other].map(({ calls }) => calls.map((call) => targetsOf(call, place))) as [
    string[][],
    string[][],
  ]
  const untold = (calls: readonly Call[], found: readonly string[][]): Call[] =>
    calls.filter((_, at) => found[at]?.length === 0)
  const [unknown, moreUnknown] = [untold(one.calls, targets), untold(other.calls, moreTargets)]
  return {
    tool:
      sameOf(
        one.calls.map(({ name }) => name),
        other.calls.map(({ name }) => name),
      ) ?? true,
    target: sameOf([...new Set(targets.flat())], [...new Set(moreTargets.flat())]),
    edit: sameOf(editKeys(one, fileOf), editKeys(other, fileOf)),
    input:
      unknown.length + moreUnknown.length === 0
        ? null
        : unknown.length === 0 || moreUnknown.length === 0
          ? 0
          : overlapOf(namesInInputs(unknown, place), namesInInputs(moreUnknown, place)),
    said: answers ? overlapOf(namesInText(one.text, place), namesInText(other.text, place)) : null,
  }
}

/**
 * The headline: the same next action is the same tools with the same targets. What stands in for a target where none is
 * known, the input of a call or the answer itself, has to overlap by half. The text of an edit is not asked for: a
 * model that is asked twice often words the same change in two ways, so it is a tier of its own.
 */
export function sameAction({ tool, target, input, said }: Agreement): boolean {
  return tool && target !== false && (input ?? 1) >= sameFrom && (said ?? 1) >= sameFrom
}

/**
 * How many of the comparisons agree, tier by tier. Of what was recorded against what is answered now, this is the
 * drift.
 */
export function agreementShares(agreements: readonly Agreement[]): AgreementShares {
  const told = (tier: 'target' | 'edit'): Share => {
    const those = agreements.filter((one) => one[tier] !== null)
    return shareOf(those.filter((one) => one[tier]).length, those.length)
  }
  const mean = (tier: 'input' | 'said') => {
    const those = agreements.flatMap((one) => one[tier] ?? [])
    return {
      mean: those.length === 0 ? null : those.reduce((sum, one) => sum + one, 0) / those.length,
      whole: those.length,
    }
  }
  return {
    same: shareOf(agreements.filter(sameAction).length, agreements.length),
    tool: shareOf(agreements.filter(({ tool }) => tool).length, agreements.length),
    target: told('target'),
    edit: told('edit'),
    input: mean('input'),
    said: mean('said'),
  }
}

function shareOf(part: number, whole: number): Share {
  return { part, whole, share: whole === 0 ? null : part / whole }
}

/** Whether both lists have the same, each as often; null where both are empty. */
function sameOf(some: readonly string[], others: readonly string[]): boolean | null {
  if (some.length === 0 && others.length === 0) return null
  if (some.length !== others.length) return false
  const left = new Map<string, number>()
  for (const one of some) left.set(one, (left.get(one) ?? 0) + 1)
  return others.every((one) => {
    const count = left.get(one) ?? 0
    left.set(one, count - 1)
    return count > 0
  })
}

function targetsOf({ name, input }: Call, cwd: string): string[] {
  const sent = sentToShell(name, input)
  if (!sent) return toolTargets(name, input).flatMap((one) => targetKey(one, cwd))
  // What a command reads and writes is said by its text. The text of a patch is an edit, which has a tier of its own.
  const patches = [...sent.patches, ...sent.commands].filter(isPatch)
  const commands = sent.commands.filter((one) => !isPatch(one))
  if (patches.length + commands.length === 0 && typeof input === 'string') commands.push(input)
  return [
    ...commands.map((one) => `command ${commandKey(one, cwd)}`),
    ...patches.flatMap((patch) => shellTargets(patch).flatMap((one) => targetKey(one, cwd))),
  ]
}

const isPatch = (command: string | readonly string[]): boolean =>
  (typeof command === 'string' ? [command] : command).some((word) => word.includes('*** Begin Patch'))

function targetKey({ target, form }: ToolTarget, cwd: string): string[] {
  if (target === null) return []
  if (form === 'path') return [`path ${pathKey(target, cwd) ?? folded(target)}`]
  return [form === 'url' ? `url ${urlKey(target) ?? folded(target)}` : `query ${folded(fromWithin(target, cwd))}`]
}

const folded = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** The text with paths as they are written in the working directory. */
function fromWithin(text: string, cwd: string): string {
  if (cwd === '' || !text.includes(cwd)) return text
  const place = cwd.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return text.replace(new RegExp(`(?<![\\w./~-])${place}(?:(/)|(?![\\w.-]))`, 'g'), (_, slash) => (slash ? '' : '.'))
}

function commandKey(command: string | readonly string[], cwd: string): string {
  const text = folded(fromWithin(typeof command === 'string' ? command : scriptOf(command), cwd))
  const first = /^cd ("[^"]*"|'[^']*'|[^\s;&|"']+) ?(?:&&|;) ?/.exec(text)
  const goes = first?.[1]?.replace(/^["']|["']$/g, '').replace(/(?<=.)\/$/, '')
  // Where the working directory is not known, it is most likely the absolute path that an agent goes to first.
  const isThere = goes === '.' || goes === '' || (cwd === '' && goes?.startsWith('/'))
  return first && isThere ? text.slice(first[0].length) : text
}

/** Of the words of a command: those of `bash -lc` hold it as one. */
function scriptOf(words: readonly string[]): string {
  const [shell, flag, script] = words
  return words.length === 3 && /(?:^|[/\\])(?:ba|z|da)?sh$/.test(shell ?? '') && /^-l?c$/.test(flag ?? '')
    ? (script as string)
    : words.join(' ')
}

function editKeys({ calls }: NextAction, fileOf: (target: string) => number): string[] {
  return calls.flatMap(({ name, input }) =>
    editsByCall(textsOf(parsedInput(input)), toolTargets(name, input)).map(({ target, before, after }) =>
      JSON.stringify([fileOf(target), ...changedLines(before, after)]),
    ),
  )
}

/**
 * Numbers files, each name looked at once: a patch may have many edits of one, and a hostile one a name as long as all
 * of them.
 */
function fileNumbers(cwd: string): (target: string) => number {
  const byName = new Map<string, number>()
  const byKey = new Map<string, number>()
  return (target) => {
    const known = byName.get(target)
    if (known !== undefined) return known
    const key = pathKey(target, cwd) ?? folded(target)
    const number = byKey.get(key) ?? byKey.size
    byKey.set(key, number)
    byName.set(target, number)
    return number
  }
}

/** The lines that go and the lines that come, without those around them that stay. */
function changedLines(before: string, after: string): [string[], string[]] {
  const [old, fresh] = [linesOf(before), linesOf(after)]
  const shorter = Math.min(old.length, fresh.length)
  let front = 0
  while (front < shorter && old[front] === fresh[front]) front++
  let behind = 0
  while (behind < shorter - front && old.at(-1 - behind) === fresh.at(-1 - behind)) behind++
  return [old.slice(front, old.length - behind), fresh.slice(front, fresh.length - behind)]
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map(folded)
    .filter((line) => line !== '')

/** What a text names, and its words, for where it names nothing. */
interface Named {
  readonly names: Set<string>
  readonly words: Set<string>
}

function namesInText(text: string, cwd: string, to: Named = { names: new Set(), words: new Set() }): Named {
  const { names, words } = to
  createExtractor(cwd, { term: (termClass, _high, _low, key) => names.add(`${termClass} ${key()}`), piece: null }).text(
    text,
  )
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) words.add(word)
  return to
}

/** A short argument is a name, with its field; what a long one names counts, too. */
function namesInInputs(calls: readonly Call[], cwd: string): Named {
  const named: Named = { names: new Set(), words: new Set() }
  const left: [field: string, value: unknown][] = calls.map(({ input }) => ['', parsedInput(input)])
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [field, value] = next
    if (typeof value === 'string' && value.length > longestName) namesInText(value, cwd, named)
    else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) left.push([Array.isArray(value) ? field : key, inner])
    else named.names.add(`${field}=${folded(fromWithin(String(value), cwd))}`)
  }
  return named
}

function overlapOf(one: Named, other: Named): number {
  return one.names.size + other.names.size > 0 ? dice(one.names, other.names) : dice(one.words, other.words)
}

/** Dice 1945: twice what is in both, of what is in each; 1 where there is nothing in either. */
function dice(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size + other.size === 0) return 1
  let both = 0
  for (const name of one) if (other.has(name)) both++
  return (2 * both) / (one.size + other.size)
}
