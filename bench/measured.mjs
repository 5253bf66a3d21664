/** What a benchmark measured, in the page that has it. */
import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Prints it, or puts it into a page in the place of what was measured before.
 * @param text from one mark to the other
 */
export function printOrWrite(text, { print, page: url, begin, end }) {
  if (print) return console.log(text)
  const page = readFileSync(url, 'utf8')
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  writeFileSync(url, page.slice(0, from) + text + page.slice(to + end.length))
}
