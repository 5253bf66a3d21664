/**
 * How well are requests without recorded input predicted in projects that nothing was learned from?
 *
 *   npm run build && node bench/truth/unseen.mjs FOLDER…
 */
import { fileURLToPath } from 'node:url'
import { measureIn, tableOf } from './compaction.mjs'
import { daysOf } from './groups.mjs'
import { filesIn } from './transcripts.mjs'

export const title = '### In projects that nothing was learned from'

/**
 * @param files of projects that nothing was learned from
 * @returns Markdown
 */
export async function section(files) {
  const found = await measureIn(files)
  const today = new Date().toISOString().slice(0, 10)
  const days = daysOf(found.all.map(({ origin }) => origin))
  return [
    `Measured on ${today}, on transcripts of other projects from which nothing was learned, recorded ${days}:\n\n`,
    tableOf(found),
    `\nNot tested, for too few requests with usage on either side: ${found.untested} transcripts.\n`,
  ].join('')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await section(filesIn(process.argv.slice(2))))
