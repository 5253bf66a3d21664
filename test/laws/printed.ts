/**
 * The law of what is printed: hostile words of transcripts and of the names of files add nothing to an output, as what reads it
 * takes it apart, and command nobody who prints it.
 */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lexer, type Token } from 'marked'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { safe } from '../../src/base/quoting.ts'
import { convertedTo } from '../../src/cli/inputs/commands.ts'
import { runCli } from '../cli/run.ts'
import { logCommands } from '../hostile-words.ts'
import { planted } from '../privacy/planted.ts'
import type { Row } from '../privacy/rows.ts'

const fixture = (name: string) => readFileSync(new URL(`../../fixtures/${name}`, import.meta.url), 'utf8')

/** What ties records together, or says what they are. */
const kept = /^(?:type|role|timestamp|version|stop_reason|service_tier|userType|.*(?:[iI]d|Uuid|uuid))$/

/** Each text has a word behind it, the same text the same word: names of tools, models, directories, and all that is said. */
function planting(text: string, words: readonly string[]): string {
  const given = new Map<string, string>()
  const wordFor = (value: string): string => {
    const word = given.get(value) ?? (words[given.size % words.length] as string)
    given.set(value, word)
    return word
  }
  const put = (key: string, value: unknown) =>
    typeof value === 'string' && !kept.test(key) ? `${wordFor(value)} ${value} ${wordFor(value)}` : value
  const lines = text.trimEnd().split('\n')
  return lines.map((line) => `${JSON.stringify(JSON.parse(line, put))}\n`).join('')
}

/** A long session, and for each word a short one that has it in all places and in its name. */
function plant(cwd: string, words: readonly string[]): void {
  mkdirSync(join(cwd, planted.all))
  writeFileSync(join(cwd, planted.session), planting(fixture('claude-code/refactor.jsonl'), words))
  for (const [at, word] of words.entries()) {
    const name = process.platform === 'win32' ? '' : word.replaceAll(/[/\0]/g, '-')
    const text = fixture(at % 2 === 0 ? 'claude-code/compaction.jsonl' : 'openai-chat/request-response.jsonl')
    writeFileSync(join(cwd, planted.all, `${name}${at}.jsonl`), planting(text, [word]))
  }
}

type Judge = (text: string) => unknown

/** What an output is in, by the flag that says so; else what the command prints by itself. */
const formOf = ({ argv }: Row): string =>
  /^(?:-O|--reporter)$/.test(argv.at(-2) ?? '')
    ? (argv.at(-1) as string)
    : argv.includes('--request')
      ? 'json'
      : convertedTo.some((form) => form === argv.at(-1))
        ? 'ndjson'
        : 'table'

/** @returns what is in it besides text: here nothing, or it throws */
const json: Judge = (text) => {
  JSON.parse(text)
  return []
}

const ndjson: Judge = (text) =>
  text
    .split('\n')
    .slice(0, -1)
    .flatMap(json as (line: string) => [])

/** Rows that have other cells than the header, and cells that are formulas. */
const csv: Judge = (text) => {
  const rows = text.split('\n').slice(0, -1)
  const cells = rows.map((row) => row.match(/(?<=^|,)(?:"(?:[^"]|"")*"|[^",]*)(?=,|$)/g) ?? [])
  const formula = /^"?[=+@\t\r＝＋－＠]|^"?-(?!\d)/
  return rows.filter(
    (row, at) =>
      cells[at]?.length !== cells[0]?.length ||
      [...(cells[at] ?? []), ...row.split(';')].some((cell) => formula.test(cell)),
  )
}

/** Tokens that no output of ours has, and rows that have other cells than the one above them. */
const markdown: Judge = (text) => {
  const found: string[] = []
  const walk = (token: Token & { readonly tokens?: Token[]; readonly items?: Token[] }): void => {
    if (!/^(?:space|paragraph|text|codespan|strong|list|list_item|table|heading)$/.test(token.type))
      found.push(token.raw)
    if (token.type === 'table') for (const cell of [...token.header, ...token.rows.flat()]) cell.tokens.forEach(walk)
    for (const inner of [...(token.tokens ?? []), ...(token.items ?? [])]) walk(inner)
  }
  for (const token of lexer(text)) walk(token)
  const cells = (line: string) => (line.startsWith('|') ? line.replaceAll(/\\./g, '').split('|').length : 0)
  const lines = text.split('\n')
  for (const [at, line] of lines.entries()) {
    const [own, above] = [line, lines[at - 1] ?? ''].map(cells) as [number, number]
    if (own > 0 && above > 0 && own !== above) found.push(line)
  }
  return found
}

const xml = async (text: string): Promise<unknown> => {
  const { errors } = await validateXML({
    xml: text,
    schema: '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>',
  })
  // Only whether it can be read is asked here: no schema knows its elements.
  const faults = errors.filter(({ message }) => !/No matching global declaration/.test(message))
  const known =
    /^(?:svg|style|title|desc|g|rect|path|text|tspan|line|circle|polyline|polygon|defs|clipPath|testsuites|testsuite|testcase|failure|error|skipped|system-out)$/
  return [...faults, ...[...text.matchAll(/<([^\s/>!?]+)/g)].filter(([, name]) => !known.test(name as string))]
}

/** A page is what is built, but for its data. */
const html: Judge = (text) => {
  const begin = text.indexOf(place) + place.length
  const end = text.indexOf('</script>', begin)
  JSON.parse(text.slice(begin, end))
  const empty = `${text.slice(0, begin)}{}${text.slice(end)}`
  return ['page', 'probe'].some((name) => empty === readFileSync(`dist/${name}.html`, 'utf8')) ? [] : [empty]
}
const place = ' id="data">'

const github: Judge = (text) =>
  text
    .split('\n')
    .slice(0, -1)
    .filter((line) => !/^::(?:error|warning) (?:file=[^:]*,)?title=[^:]*::/.test(line))

const nothing: Judge = () => []

const judges: Readonly<Record<string, Judge>> = {
  ...{ json, ndjson, csv, markdown, github, table: nothing, default: nothing, line: nothing },
  ...{ junit: xml, sarif: json, svg: xml, html, config: nothing, jsonc: nothing, partial: ndjson, jsonl: ndjson },
}

export function printedLaws(words: readonly string[], rows: readonly Row[]): void {
  const root = mkdtempSync(join(tmpdir(), 'ctxwin-printed-'))
  beforeAll(() => plant(root, words))
  afterAll(() => rmSync(root, { recursive: true, force: true }))
  let all = ''

  it.each(rows.map((row) => [`${row.command} ${row.form}`, row] as const))('%s', async (_, row) => {
    const { command, argv } = row
    const written = join(root, 'written')
    rmSync(written, { recursive: true, force: true })
    mkdirSync(written)
    const options = { cwd: argv.includes('--init') ? written : root, env: { CI: 'true' } }
    const { code, stdout, stderr } = await runCli(argv, options)
    expect([0, 1, 2], stderr).toContain(code)
    const files = readdirSync(written, { recursive: true, encoding: 'utf8' }).filter((name) => /\.\w+$/.test(name))
    const outputs = [
      ...(stdout === '' ? [] : [[formOf(row), stdout] as const]),
      ...files.map((name) => [name.replace(/^.*\./, ''), readFileSync(join(written, name), 'utf8')] as const),
    ]
    // Of these sessions there is nothing to learn.
    if (command !== 'tune') expect(outputs.length, stderr).toBeGreaterThan(0)
    for (const [form, text] of outputs) {
      all += text
      expect(await judges[form]?.(text), form).toEqual([])
      if (form !== 'github') expect(logCommands(text)).toEqual([])
    }
    expect(logCommands(stderr)).toEqual([])
  })

  it('had each of the words in it', () => {
    expect(
      words.filter((word) => ![safe(word), JSON.stringify(word).slice(1, -1)].some((text) => all.includes(text))),
    ).toEqual([])
  })
}
