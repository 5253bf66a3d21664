/**
 * Generates the tables of docs/queries.md from their declaration: `npm run renew` writes them
 * between their marks. test/tables/queries.slow.test.ts fails when they are stale.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const row = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`

/** @param figures the columns that metrics.md explains */
function sectionOf({ name, meaning, key, owner, columns }, figures) {
  const own = columns.filter((column) => !figures.has(column))
  const rows = own.map((column) => [`\`${column.name}\``, column.type, column.nullable ? 'yes' : '', column.meaning])
  const more =
    own.length < columns.length
      ? '\nAnd a column for each figure of [metrics](metrics.md): `cost.savedPercent` is `cost_saved_percent`.\n'
      : ''
  const points = owner ? ` \`${owner.column}\` is the \`${owner.key}\` of \`${owner.table}\`.` : ''
  const head = `\n### \`${name}\`\n\n${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}. Key: ${key.map((part) => `\`${part}\``).join(', ')}.${points}\n\n`
  return head + row(['column', 'type', 'null', 'meaning']) + row(Array(4).fill('---')) + rows.map(row).join('') + more
}

/** The page with new tables. */
export function withTables(page, tables) {
  const figures = new Set(tables.find(({ name }) => name === 'runs').columns.slice(2))
  const sections = tables.map((table) => sectionOf(table, figures)).join('')
  return page.replace(/(<!-- tables -->\n)[\s\S]*?(?=<!-- end -->)/, (_, mark) => `${mark}${sections}\n`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { tables } = await import('../../dist/tables/tables.js')
  const file = new URL('../../docs/queries.md', import.meta.url)
  writeFileSync(file, withTables(readFileSync(file, 'utf8'), tables))
}
