/**
 * Compares ctxwin's predictions with what was recorded, over folders of transcripts.
 *
 *   npm run truth -- FOLDER… [--unseen FOLDER]…            prints
 *   npm run truth -- FOLDER… [--unseen FOLDER]… --write    writes the results into docs/truth.md, between its marks
 *
 * The unseen ones are transcripts of projects from which nothing was learned. What to expect of a window that nobody counted
 * is measured by coverage.mjs.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { filesIn } from './transcripts.mjs'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: 'boolean', default: false },
    unseen: { type: 'string', multiple: true, default: [] },
  },
})
const tests = ['compaction', 'bill', 'dependence', 'agents']
const page = new URL('../../docs/truth.md', import.meta.url)
const files = filesIn(positionals)
const unseen = options.unseen.length > 0 ? filesIn(options.unseen) : []
let text = readFileSync(page, 'utf8')
for (const name of tests) {
  const script = new URL(`${name}.mjs`, import.meta.url)
  if (!existsSync(script)) continue
  const { title, section } = await import(script.href)
  const words = `## ${title}\n\n${await section(files, unseen)}`
  if (!options.write) console.log(words)
  const marked = new RegExp(`(<!-- truth: ${name} -->\n)[\\s\\S]*?(?=<!-- end -->)`)
  text = text.replace(marked, (_, mark) => `${mark}\n${words}\n`)
}
if (options.write) writeFileSync(page, text)
