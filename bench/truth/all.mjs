/**
 * Compares ctxwin's predictions with what was recorded, over folders of transcripts.
 *
 *   npm run truth -- FOLDER…            prints
 *   npm run truth -- FOLDER… --write    writes the results into docs/truth.md, between its marks
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { filesIn } from './transcripts.mjs'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false } },
})
const tests = ['compaction', 'bill', 'dependence']
const page = new URL('../../docs/truth.md', import.meta.url)
const files = filesIn(positionals)
let text = readFileSync(page, 'utf8')
for (const name of tests) {
  const script = new URL(`${name}.mjs`, import.meta.url)
  if (!existsSync(script)) continue
  const { title, section } = await import(script.href)
  const words = `## ${title}\n\n${await section(files)}`
  if (!options.write) console.log(words)
  const marked = new RegExp(`(<!-- truth: ${name} -->\n)[\\s\\S]*?(?=<!-- end -->)`)
  text = text.replace(marked, (_, mark) => `${mark}\n${words}\n`)
}
if (options.write) writeFileSync(page, text)
