/**
 * Compares ctxwin's predictions with what was recorded, over folders of transcripts.
 *
 *   npm run truth [-- FOLDER…]              prints; without folders over ../shared/corpus, or that of CTXWIN_CORPUS
 *   npm run truth -- [FOLDER…] --write      writes the results into docs/truth.md, between its marks
 *   npm run truth -- --unseen FOLDER …      measures the tables of unseen projects too; with --write also what to expect of a
 *                                           window that nobody counted, into the program
 *
 * The unseen ones are transcripts of projects from which nothing was learned. Without them their part of the page stays, with
 * its day.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { filesIn } from './transcripts.mjs'
import { intervalsOf } from './unseen.mjs'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: 'boolean', default: false },
    unseen: { type: 'string', multiple: true, default: [] },
  },
})
const tests = ['halves', 'rereads', 'compaction', 'unseen', 'bill', 'dependence', 'agents', 'advise']
const data = new URL('../../src/models/intervals.data.ts', import.meta.url)
const page = new URL('../../docs/truth.md', import.meta.url)
const files = found(positionals)
const unseen = options.unseen.length > 0 ? found(options.unseen) : []

/** The page is not written over nothing. */
function found(words) {
  try {
    const paths = filesIn(words)
    if (paths.length > 0) return paths
    console.error(`truth: no files in ${words.join(', ') || 'the folder of the corpus'}`)
  } catch (error) {
    console.error(`truth: ${error.message} Name a folder of transcripts, or set CTXWIN_CORPUS.`)
  }
  return process.exit(2)
}

let text = readFileSync(page, 'utf8')
for (const name of tests) {
  if (name === 'unseen' && unseen.length === 0) continue
  const { title, section } = await import(new URL(`${name}.mjs`, import.meta.url).href)
  const words = `${title}\n\n${await section(name === 'unseen' ? unseen : files)}`
  if (!options.write) console.log(words)
  const marked = new RegExp(`(<!-- truth: ${name} -->\n)[\\s\\S]*?(?=<!-- end -->)`)
  text = text.replace(marked, (_, mark) => `${mark}\n${words}\n`)
}
if (options.write) writeFileSync(page, text)
if (options.write && unseen.length > 0) {
  const rows = (await intervalsOf(unseen)).map(({ program, test, estimator, transcripts, low, high }) => {
    const of = program === null ? 'null' : `'${program}'`
    return `    { program: ${of}, test: '${test}', estimator: '${estimator}', transcripts: ${transcripts}, low: ${low}, high: ${high} },`
  })
  writeFileSync(
    data,
    `/** Measured by \`npm run truth\` on sessions that others recorded and published. */
import type { UsualInterval } from './table.ts'

export const intervals: { readonly table: readonly UsualInterval[] } = {
  table: [
${rows.join('\n')}
  ],
}
`,
  )
}
