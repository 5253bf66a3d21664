/**
 * Generates the sections of docs/policies.md from the policies' definitions, and those of docs/compose.md from the knobs':
 * `npm run renew` writes them between the marks. test/policies/docs.test.ts fails when they
 * are stale.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Of a line, in characters. */
const width = 130

export const begin = '<!-- generated: npm run renew -->'
export const end = '<!-- end of the generated part -->'

/** `|` would end a cell, even inside code. */
const cell = (text) => String(text).replaceAll('|', '\\|')
export const row = (...cells) => `| ${cells.map(cell).join(' | ')} |`
export const table = (headers, rows) => [row(...headers), row(...headers.map(() => '---')), ...rows].join('\n')

const camel = (name) => name.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase())

function law(policy) {
  const words = [policy.kind]
  if (policy.monotone) words.push('monotone')
  if (policy.wholePairs) words.push('whole pairs')
  if (policy.inserts) words.push('inserts')
  if (policy.text) words.push('reads text')
  return words.join(', ')
}

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1)

export const point = (label, text, indent = '') => item(`**${label}**: ${text}`, indent)

/** An item of a list, in lines that a diff can be read by. What stands in backticks is never broken. */
function item(text, indent = '') {
  const words = text.match(/(?:`[^`]*`|[^\s`])+/g)
  const lines = [`${indent}-`]
  for (const word of words) {
    const last = lines.at(-1)
    if (last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(`${indent}  ${word}`)
  }
  return lines.join('\n')
}

/** What each param sets, its values where they are words of a list, and its default. A text as default is too long for a line. */
function paramPoints(params) {
  const entries = Object.entries(params)
  if (entries.length === 0) return [point('Params', 'none')]
  const lines = entries.map(([key, { help, expected, default: byDefault }]) => {
    const values = /^(one of|none, (or|all))/.test(expected) ? `${expected}; ` : ''
    const beside = expected === 'a text' ? '' : ` (${values}default ${byDefault})`
    return item(`\`${key}\`: ${help}${beside}`, '  ')
  })
  return ['- **Params**:', ...lines]
}

/** How it is turned on, with its defaults and a budget of 100,000 tokens; nothing for what nobody can turn on. */
function turnOnPoint(policy) {
  const defaults = Object.fromEntries(Object.entries(policy.params).map(([key, param]) => [key, param.default]))
  const how = policy.turnOn?.(defaults, 100_000)
  if (!how) return []
  const beside = [how.since && `since ${how.since}`, how.note].filter(Boolean).join('; ')
  return [point('Turn on', `in ${how.file}: \`${how.text}\`${beside === '' ? '' : ` (${beside})`}`)]
}

/** All that is told of a policy: what it does, and a point for each thing to know. @param own the words for its own budget */
function section(policy, isPrimitive, own) {
  const { version, aliases = [], differs = [] } = policy
  const others = aliases.filter((alias) => alias !== `${policy.name}@${version}`).map((name) => `\`${name}\``)
  const points = [
    ...(isPrimitive ? [point('In a config file', `\`${camel(policy.name)}\``)] : []),
    ...(others.length > 0 ? [point('Also known as', others.join(', '))] : []),
    ...(policy.trigger ? [point('The budget is', policy.trigger)] : []),
    ...(own ? [point('Where none is given', own)] : []),
    ...paramPoints(policy.params),
    point('Law', law(policy)),
    ...(policy.unlike ? [point('Unlike others', policy.unlike)] : []),
    ...turnOnPoint(policy),
    ...(policy.native ? [point('Counted with `--measure native`', policy.native.summary)] : []),
    ...(differs.length > 0 ? [point('Where document and program differ', '[documents.md](documents.md)')] : []),
    ...(isPrimitive ? [] : [point('Source', policy.source)]),
  ]
  return [`### \`${policy.name}\`${version ? ` @${version}` : ''}`, `${capital(policy.summary)}.`, points.join('\n')]
}

/**
 * The generated part: the groups of the registry, in its order.
 * @param ownBudgetWords of `src/policies/`, which is imported as it is built or as it is tested
 */
export function generate(groups, ownBudgetWords) {
  const titled = groups.map(({ key, title, policies }) => ({ title, policies, isPrimitive: key === 'primitives' }))
  const ordered = [
    ...titled.filter(({ isPrimitive }) => !isPrimitive),
    ...titled.filter(({ isPrimitive }) => isPrimitive),
  ]
  return [
    begin,
    ...ordered
      .filter(({ policies }) => policies.length > 0)
      .flatMap(({ title, policies, isPrimitive }) => [
        `## ${isPrimitive ? 'The primitives' : title}`,
        ...policies.flatMap((policy) => section(policy, isPrimitive, ownBudgetWords(policy))),
      ]),
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
  const { ownBudgetWords, policyGroups } = await import('../../dist/policies/index.js')
  const { nineKnobs } = await import('../../dist/policies/knobs/knobs.js')
  const parts = { policies: generate(policyGroups, ownBudgetWords), compose: generateKnobs(nineKnobs) }
  for (const [name, part] of Object.entries(parts)) {
    const path = fileURLToPath(new URL(`../../docs/${name}.md`, import.meta.url))
    writeFileSync(path, renew(readFileSync(path, 'utf8'), part))
  }
}
