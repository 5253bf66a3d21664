/**
 * Generates the tables of docs/metrics.md from the columns: `npm run renew` writes them
 * between their marks. test/reports/declared.test.ts fails when they are stale.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const cell = (text) => text.replaceAll('|', '\\|')

/** A row for a figure. Parts of a block that have the same figures share a row: `references.headline.…`. */
function rowOf({ key, header, rank, shownAs, meaning, unit, better, blocks = [] }) {
  const part = blocks.findIndex((block) => block.part)
  const inTables = rank === undefined ? shownAs : header
  if (part < 0) return [`\`${key}\``, inTables ? `\`${inTables}\`` : '', unit, better ?? '', meaning]
  const name = key
    .split('.')
    .slice(0, part + 1)
    .join('.')
  return [`\`${name}.…\``, '', 'the same', '', blocks[part].meaning]
}

/** One row per figure of a topic. @param columns of a run, or of what is like it */
export function tableOf(topic, columns) {
  const rows = columns.filter((column) => column.topic === topic).map(rowOf)
  const distinct = [...new Map(rows.map((row) => [row[0], row])).values()]
  return [['key', 'in tables', 'unit', 'better', 'meaning'], Array(5).fill('---'), ...distinct]
    .map((cells) => `| ${cells.map(cell).join(' | ')} |\n`)
    .join('')
}

const marked = /(<!-- figures: (\w+) -->\n)[\s\S]*?(?=<!-- end -->)/g

/** The page with new tables. */
export function withTables(page, columns) {
  return page.replace(marked, (_, mark, topic) => `${mark}\n${tableOf(topic, columns)}\n`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { runColumns } = await import('../../dist/reports/columns/run.js')
  const file = new URL('../../docs/metrics.md', import.meta.url)
  writeFileSync(file, withTables(readFileSync(file, 'utf8'), runColumns))
}
