/** What an extractor finds, in words. */
import { termClasses } from '../../../src/model/run.ts'
import { createExtractor, type TermExtractor } from '../../../src/references/terms/extractor.ts'
import type { Find } from '../../../src/references/terms/find.ts'
import { normalCwd } from '../../../src/references/terms/paths.ts'
import { TermTable } from '../../../src/references/terms/term-table.ts'

/** @returns `class key` of each different term that is not on the stop list, in order of appearance */
export function extracted(feed: (extractor: TermExtractor) => void, cwd = '', find?: Find): string[] {
  const table = new TermTable()
  const term = table.add.bind(table)
  feed(createExtractor(normalCwd(cwd), { term, piece: null }, find))
  return table.keys.map((key, number) => `${termClasses[table.classes[number] as number]} ${key}`)
}

/** The terms of a text, in order, with the hashes. */
export function termsIn(find: Find, text: string, cwd = ''): string[] {
  const all: string[] = []
  find(
    text,
    normalCwd(cwd),
    (termClass, high, low, key) => all.push(`${termClasses[termClass]} ${key()} ${high} ${low}`),
    null,
  )
  return all
}

/** Everything that is found in a text, in order, with the hashes. */
export function found(find: Find, text: string, cwd = ''): string[] {
  const all: string[] = []
  const term = (termClass: number, high: number, low: number, key: () => string) =>
    all.push(`${termClasses[termClass]} ${key()} ${high} ${low}`)
  const piece = (high: number, low: number) => all.push(`content ${high} ${low}`)
  find(text, normalCwd(cwd), term, piece, (pairs, from, to) => {
    for (let at = from; at < to; at += 2) all.push(`anchor ${pairs[at]} ${pairs[at + 1]}`)
  })
  return all
}
