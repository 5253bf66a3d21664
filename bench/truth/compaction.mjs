/**
 * How well are requests without recorded input predicted? Each transcript's input is hidden from its first cut on (without
 * a cut: from its middle on), its output is not, and the sizes that `as-recorded` then predicts are compared with what was recorded.
 *
 *   npm run build && node bench/truth/compaction.mjs [FOLDER…]
 */
import { fileURLToPath } from 'node:url'
import { foreseeTrace } from '../../dist/app/calibrate.js'
import { readSources } from '../../dist/app/files/read-sources.js'
import { choose, estimators } from '../../dist/app/index.js'
import { byVersion, grouped, groupHead, originOf } from './groups.mjs'
import { filesIn, quantile, signed, sourcesOf, table, unread } from './transcripts.mjs'

export const title = '## Windows after a cut'

const auto = { policies: [], estimators: [choose(estimators.get('auto'))], budgets: [] }
const kinds = { first: 'first behind a cut', later: 'later', half: 'second half, no cut' }

/**
 * @param files that the rules may have been learned from
 * @returns Markdown
 */
export async function section(files) {
  const measured = await measureIn(files)
  const others = { ...measured, all: measured.all.filter(({ origin }) => origin.cameLater) }
  return [
    'The recorded input behind the first cut of a transcript is hidden (without a cut: that of its second half), and each request\n',
    'behind is predicted as `as-recorded` sends it; the recorded output is known, as it is where another policy is tried. Off, in percent\n',
    'of what was recorded, by request. Versions and formats with fewer than three transcripts stand together.\n\n',
    tableOf(measured),
    `\nNot tested, for too few requests with usage on either side: ${measured.untested} transcripts.\n\n`,
    ...(others.all.length > 0
      ? [
          'The same of owners all of whose sessions came later than the fit of the overheads of messages and of the usual preambles:\n\n',
          tableOf(others),
          '\n',
        ]
      : []),
    prose,
  ].join('')
}

/** What was foreseen in each transcript, a kind of requests at a time. */
export async function measureIn(files) {
  const measured = { all: [], untested: 0 }
  const take = (trace, copyOf) => {
    if (copyOf === null) compare(trace, measured)
    return []
  }
  for await (const _ of readSources(sourcesOf(files), auto, {}, take, unread));
  return measured
}

function compare(trace, to) {
  const foreseen = foreseeTrace(trace, auto)
  if (foreseen.requests.length === 0) {
    to.untested++
    return
  }
  const origin = originOf(trace)
  const byKind = grouped(foreseen.requests, ({ first }) =>
    foreseen.test === 'half' ? kinds.half : first ? kinds.first : kinds.later,
  )
  for (const [kind, requests] of byKind) to.all.push({ origin, kind, requests })
}

export function tableOf({ all }) {
  const rows = byVersion((groups) =>
    Object.values(kinds).flatMap((kind) =>
      groups(all.filter((one) => one.kind === kind)).map(({ name, cells, list }) => {
        const requests = list.flatMap((one) => one.requests)
        const errors = requests.map((request) => Math.abs(errorOf(request)))
        const sum = (key) => requests.reduce((total, request) => total + request[key], 0)
        return [
          name,
          kind,
          ...cells,
          requests.length,
          (errors.reduce((total, error) => total + error, 0) / errors.length).toFixed(1),
          quantile(errors, 0.5).toFixed(1),
          quantile(errors, 0.9).toFixed(1),
          signed((100 * (sum('foreseen') - sum('recorded'))) / sum('recorded')),
        ]
      }),
    ),
  )
  const ordered = rows.sort(([a], [b]) => order(a, b))
  return table([['format', 'requests', ...groupHead, 'n', 'mean off %', 'median %', 'p90 %', 'bias %'], ...ordered])
}

const order = (a, b) => (a === b ? 0 : a === 'other formats' ? 1 : b === 'other formats' ? -1 : a < b ? -1 : 1)

export const errorOf = ({ recorded, foreseen }) => (100 * (foreseen - recorded)) / recorded

const prose = [
  '- **May be claimed:** how large a request is that nobody has seen, to the means of these tables; where usage is recorded,\n',
  '  `as-recorded` is set right by it behind each cut and is nearer.\n',
  '- **How sure:** the rules for what Claude Code puts back in behind a compaction, and the tokens of what is recorded nowhere, were\n',
  '  learned from sessions of one owner (versions 2.0.76 to 2.1.42). They hold in other projects with these versions, and with 2.1.226 to\n',
  '  2.1.232, whose attachments are recorded; in between they are known from few sessions. Readers were since mended with the later sessions\n',
  '  at hand, so that the second table is no test on projects that nobody had seen; the one below is, and older. The hidden summary\n',
  '  of Codex is sized by what Codex wrote down of its history behind it (37 compactions of six owners). Of older versions of Claude\n',
  '  Code restored files are inferred; in one project by 2.1.49, 11,000 to 24,000 tokens came or went of which nothing is written down.\n',
  '- **May not be claimed:** a cut that is not recorded (a context that shrinks without a word) is foreseen by nobody, and counts in\n',
  '  full in the tables. So does one that is recorded and was not carried out, as the one of pi. A policy that the agent never ran is as\n',
  '  far off as `as-recorded`, and further by what it changes. What a hosted web search of Codex found is written down nowhere. In the\n',
  '  one session with searches each of 13 put in about 7,000 tokens, and all were gone when the user interrupted the agent: one session\n',
  '  makes no rule, and with so many tokens for each call, later windows there were 47 % off instead of 17 %. One or two transcripts, as\n',
  '  many of `other formats` are, say nothing of a format.\n',
].join('')

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await section(filesIn(process.argv.slice(2))))
