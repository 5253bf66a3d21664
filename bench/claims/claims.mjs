/**
 * The figures that README and docs state, where they stand, and what measures them anew. A page states them in tables, or in
 * sentences that a pattern reads. bench/claims/run.mjs measures, test/bench/claims.test.ts holds that no table is left out.
 */

/**
 * @typedef {object} Claim
 * @property {string} page
 * @property {string} from how the part of the page begins
 * @property {string} [to] what stands behind it; the next heading where it is left out
 * @property {string} [program] what measures it, as Markdown or lines
 * @property {string[]} [words] for the program, before the files
 * @property {string[]} [formats] of the transcripts that it is about
 * @property {{ share: number, points: number }} [tolerance]
 * @property {{ stated: RegExp, measured: RegExp }[]} [sentences] that state figures; of none, the tables do
 * @property {string} [command] what prints it instead of a program
 * @property {string} [why] it is not measured
 */

/**
 * What a figure may move by before it is another: a share of itself, and percentages by points. A count may always move by one.
 */
const close = { share: 0.02, points: 1 }

/** Of sums over few transcripts, where one that is read better moves them all. */
const near = { share: 0.05, points: 3 }

const truth = (name, tolerance) => ({
  page: 'docs/truth.md',
  from: `<!-- truth: ${name} -->`,
  to: '<!-- end -->',
  program: `bench/truth/${name}.mjs`,
  tolerance,
})

/** What a program of its own prints, and why it is not measured here. */
const apart = (page, from, to, command, why) => ({ page, from, to, command, why })

/** @type {readonly Claim[]} */
export const claims = [
  truth('compaction', near),
  truth('unseen', near),
  truth('bill', near),
  truth('dependence', close),
  truth('agents', close),
  truth('halves', near),
  truth('coverage', near),
  truth('rereads', near),
  truth('compactions', near),
  truth('floor', near),
  truth('advise', near),
  truth('quality', near),
  {
    page: 'bench/README.md',
    from: '<!-- measured: node bench/tune.mjs FOLDER -->',
    to: '<!-- end of what was measured by bench/tune.mjs -->',
    program: 'bench/tune.mjs',
    words: ['--print'],
    formats: ['claude-code', 'codex', 'opencode', 'pi'],
    tolerance: near,
  },
  {
    page: 'docs/policies.md',
    from: '<!-- measured: npm run corpus -- FOLDER -->',
    to: '<!-- end of what was measured -->',
    program: 'bench/corpus.mjs',
    words: ['--print'],
    formats: ['claude-code', 'codex', 'opencode', 'pi'],
    tolerance: close,
  },
  {
    page: 'bench/README.md',
    from: '## Published figures',
    program: 'bench/papers/complexity-trap.mjs',
    formats: ['swe-agent'],
    tolerance: close,
    sentences: [
      { stated: /masking sent ([\d.]+) % fewer/, measured: /^mask\t.*?\t-([\d.]+) %/m },
      { stated: /summaries ([\d.]+) % fewer/, measured: /^summary\t.*?\t-([\d.]+) %/m },
      { stated: /fewer for ([\d.]+) % more/, measured: /^summary\t(?:[^\t]*\t){4}([\d.]+) %/m },
    ],
  },
  apart(
    'docs/scale.md',
    '## What a first run is made of',
    undefined,
    'npm run bench; node bench/phases.mjs',
    'is processor time, and depends on the machine',
  ),
  apart(
    'bench/README.md',
    '## Growth',
    '## Starting',
    'npm run bench:growth',
    'takes hours, and depends on the machine',
  ),
  apart(
    'bench/README.md',
    'What people wait for:',
    'What V8 optimises',
    'npm run bench -- FOLDER',
    'is processor time, and depends on the machine',
  ),
  apart(
    'docs/policies.md',
    'How it is computed, and what is left out',
    '## What they cost and lose',
    'ctxwin compare FOLDER --budget 50k,100k,200k',
    'is printed in sentences below a table',
  ),
  apart(
    'docs/estimators.md',
    '### Without any usage',
    '\n### What the recorded agent sent',
    'node tools/fit/preambles.mjs --leave-out',
    'is of the table that the program counts by: a fit is made anew with its data',
  ),
  apart(
    'docs/estimators.md',
    '- A message is more than its text.',
    '\n## ',
    'node tools/fit/usage.mjs FOLDER',
    'is what the program counts by: a fit is made anew with its data',
  ),
]

/**
 * The part of a page that a claim is about.
 * @param {string} text
 * @param {Claim} claim
 */
export function partOf(text, { from, to }) {
  const start = text.indexOf(from)
  if (start < 0) throw new Error(`no place in the page begins with ${from}`)
  const end = to === undefined ? text.indexOf('\n## ', start + 1) : text.indexOf(to, start)
  return text.slice(start, end < 0 ? undefined : end)
}

const cellsOf = (line) =>
  line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
const isFigure = (cell) => /^[$−+-]?\d[\d,.]*( ?%| (s|MB|of)\b.*)?$/.test(cell)
const numbersIn = (cell) =>
  [...cell.matchAll(/[−-]?\d[\d,]*(?:\.\d+)?/g)].map(([word]) => Number(word.replaceAll(',', '').replace('−', '-')))

/** The tables of a text in Markdown that state figures. */
export function tablesIn(text) {
  const tables = [...text.matchAll(/^(\|.*\|)\n\|[ :|-]+\|\n((?:\|.*\|\n?)*)/gm)].map(([, head, body]) => ({
    head: cellsOf(head),
    rows: body.trim().split('\n').map(cellsOf),
  }))
  return tables.filter(({ rows }) => {
    const cells = rows.flatMap((row) => row.slice(1)).filter((cell) => cell !== '' && cell !== '-')
    return cells.filter(isFigure).length > cells.length / 2
  })
}

/** By what they are of, in the order they stand: each figure, and whether it is a percentage. */
function figuresIn({ head, rows }) {
  const figures = new Map()
  for (const row of rows) {
    const label = row.filter((cell) => !isFigure(cell)).join(' ')
    for (const [at, cell] of row.entries()) {
      if (!isFigure(cell)) continue
      for (const [i, value] of numbersIn(cell).entries()) {
        let name = `${label}: ${head[at]}`
        if (i > 0) name += ` (${i + 1})`
        while (figures.has(name)) name += ' again'
        figures.set(name, {
          value,
          isPercent: /%/.test(head[at]) || (/%/.test(cell) && i === numbersIn(cell).length - 1),
        })
      }
    }
  }
  return figures
}

const allows = ({ share, points }, { value, isPercent }, measured) => {
  const isCount = Number.isInteger(value) && Number.isInteger(measured)
  const allowed = isPercent ? points : Math.max(share * Math.abs(value), isCount ? 1 : 0.01)
  return { allowed, holds: Math.abs(measured - value) <= allowed + 1e-9 }
}

/**
 * Holds what a part of a page states against what was measured.
 * @param {Claim} claim
 * @param {string} stated
 * @param {string} measured
 * @returns {{ name: string, stated: number, measured: number | null, allowed: number, holds: boolean }[]} for each figure its name, what is stated, measured (null for what was not) and allowed, and whether that holds
 */
export function compare(claim, stated, measured) {
  if (claim.sentences !== undefined) {
    return claim.sentences.map((sentence) => {
      const [here, now] = [sentence.stated.exec(stated), sentence.measured.exec(measured)]
      if (here === null) throw new Error(`${claim.page} says nothing like ${sentence.stated}`)
      const [name, value] = [here[0], Number(here[1])]
      if (now === null) return { name, stated: value, measured: null, allowed: 0, holds: false }
      const found = Number(now[1])
      return { name, stated: value, measured: found, ...allows(claim.tolerance, { value, isPercent: true }, found) }
    })
  }
  // A table that is not measured, as those of unseen projects without them, is passed over; a row that is gone is not.
  const left = tablesIn(measured)
  return tablesIn(stated).flatMap((table) => {
    const at = left.findIndex(({ head }) => head.join() === table.head.join())
    if (at < 0) return []
    const [now] = left.splice(at, 1)
    const found = figuresIn(now)
    return [...figuresIn(table)].map(([name, figure]) => {
      const other = found.get(name)
      if (other === undefined) return { name, stated: figure.value, measured: null, allowed: 0, holds: false }
      return { name, stated: figure.value, measured: other.value, ...allows(claim.tolerance, figure, other.value) }
    })
  })
}
