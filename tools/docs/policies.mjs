/**
 * Generates the tables of docs/policies.md from the policies' definitions, and those of docs/compose.md from the knobs':
 * `npm run renew` writes them between the marks. test/policies/docs.test.ts fails when they
 * are stale.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const begin = '<!-- generated: npm run renew -->'
export const end = '<!-- end of the generated part -->'

/** `|` would end a cell, even inside code. */
const cell = (text) => String(text).replaceAll('|', '\\|')
const row = (...cells) => `| ${cells.map(cell).join(' | ')} |`
const table = (headers, rows) => [row(...headers), row(...headers.map(() => '---')), ...rows].join('\n')

/** Params with their defaults. The default of a text param is too long for a cell. */
function paramWords(params) {
  const words = Object.entries(params).map(([key, param]) =>
    param.expected === 'a text' ? `\`${key}\`` : `\`${key}\` ${param.default}`,
  )
  return words.join(', ') || '-'
}

const camel = (name) => name.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase())

function law(policy) {
  const words = [policy.kind]
  if (policy.monotone) words.push('monotone')
  if (policy.wholePairs) words.push('whole pairs')
  if (policy.inserts) words.push('inserts')
  if (policy.text) words.push('reads text')
  return words.join(', ')
}

/** How to turn on each policy that somebody can, with its defaults and a budget of 100,000 tokens. */
function turnOnRows(policies) {
  return policies.flatMap((policy) => {
    const defaults = Object.fromEntries(Object.entries(policy.params).map(([key, param]) => [key, param.default]))
    const how = policy.turnOn?.(defaults, 100_000)
    return how ? [row(`\`${policy.name}\``, how.file, `\`${how.text}\``, how.since ?? '-', how.note ?? '-')] : []
  })
}

/** The generated part: the groups of the registry, in its order. */
export function generate(groups) {
  const primitives = groups.find(({ key }) => key === 'primitives').policies
  const others = groups.filter(({ key, policies }) => key !== 'primitives' && policies.length > 0)
  const all = groups.flatMap(({ policies }) => policies)
  const name = ({ name, version }) => `\`${name}\`${version ? ` @${version}` : ''}`
  const rule = (policy) => row(name(policy), policy.summary, paramWords(policy.params), law(policy), policy.source)
  const primitive = (policy) =>
    row(
      [policy.name, ...(policy.aliases ?? [])].map((name) => `\`${name}\``).join(', '),
      `\`${camel(policy.name)}\``,
      policy.summary,
      paramWords(policy.params),
      law(policy),
    )
  const differences = all.flatMap((policy) =>
    (policy.differs ?? []).map(({ matter, document, program }) => row(`\`${policy.name}\``, matter, document, program)),
  )
  const acting = all
    .filter(({ trigger, unlike }) => trigger || unlike)
    .map((policy) => row(`\`${policy.name}\``, policy.trigger ?? '-', policy.unlike ?? '-'))
  const counters = all
    .filter((policy) => policy.native)
    .map((policy) => row(`\`${policy.name}\``, policy.native.summary))
  return [
    begin,
    ...others.flatMap(({ title, policies }) => [
      `## ${title}`,
      table(['policy', 'rule', 'params and defaults', 'law', 'source'], policies.map(rule)),
    ]),
    '## The primitives',
    table(['name', 'in a config file', 'rule', 'params and defaults', 'law'], primitives.map(primitive)),
    '## When they act, and what they do otherwise than others',
    table(['policy', 'the budget is; it acts', 'unlike others'], acting),
    '## Turn it on',
    'With the defaults and a budget of 100,000 tokens.',
    table(['policy', 'set in', 'what is written there', 'since', 'which means'], turnOnRows(all)),
    '## Where document and program differ',
    table(['policy', 'matter', 'the document', 'the program'], differences),
    '## What the programs count',
    table(['policy', 'with `--measure native`'], counters),
    end,
  ].join('\n\n')
}

/** The words of each knob, in the order in which a request meets them. */
export function generateKnobs(knobs) {
  const sections = Object.entries(knobs).flatMap(([name, knob]) => [
    `### ${name}: ${knob.help}`,
    `Default: \`${knob.default}\`.`,
    table(
      ['word', ''],
      Object.entries(knob.words).map(([word, { help }]) => row(`\`${word}\``, help)),
    ),
  ])
  return [begin, ...sections, end].join('\n\n')
}

/** The document with a new generated part. */
export function renew(document, part) {
  const [before, rest] = document.split(begin)
  const [, after] = (rest ?? '').split(end)
  if (after === undefined) throw new Error('the document has lost the markers of its generated part')
  return `${before}${part}${after}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { policyGroups } = await import('../../dist/policies/index.js')
  const { nineKnobs } = await import('../../dist/policies/knobs/knobs.js')
  const parts = { policies: generate(policyGroups), compose: generateKnobs(nineKnobs) }
  for (const [name, part] of Object.entries(parts)) {
    const path = fileURLToPath(new URL(`../../docs/${name}.md`, import.meta.url))
    writeFileSync(path, renew(readFileSync(path, 'utf8'), part))
  }
}
