/**
 * What of a transcript is in each output: of transcripts with planted words, the words that are found there. The table of
 * docs/privacy.md is this, so it is true, and whatever begins to print more has to say so.
 */
import crypto from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { TraceCache } from '../../src/app/files/trace-cache.ts'
import { choose, estimators, openFile, simulateSources } from '../../src/app/index.ts'
import { commands } from '../../src/cli/inputs/commands.ts'
import { runCli } from '../cli/run.ts'
import { contentsOf, type Kind, kinds, kindsIn, plant, planted } from './planted.ts'
import { cheap, type Row, rows, without, words } from './rows.ts'

const { all, failing, session } = planted

const root = mkdtempSync(join(tmpdir(), 'ctxwin-planted-'))
plant(root)
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 10 }))

/** All that was said on standard error, of transcripts that can be read. */
let said = ''

/** @returns what it prints, and writes into the directory `written` */
async function outputOf(argv: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const written = join(root, 'written')
  rmSync(written, { recursive: true, force: true })
  mkdirSync(written)
  const { code, stdout, stderr } = await runCli(argv, {
    // Its files are written where it runs.
    cwd: argv.includes('--init') ? written : root,
    env: { CI: 'true', COLUMNS: '1000', ...env },
  })
  expect([0, 1, 2], `${argv.join(' ')}: ${stderr}`).toContain(code)
  said += stderr
  return `${stdout}\n${contentsOf(written)}`
}

/** What the cache would keep of the transcripts, before it is packed. */
async function keptOf(): Promise<string> {
  const parts: Uint8Array[] = []
  const traces: TraceCache = {
    find: () => null,
    has: () => false,
    checkpointOf: () => null,
    draft: (source) => ({ source, add: (part) => parts.push(part), complete: () => {}, discard: () => {} }),
  }
  const sources = readdirSync(join(root, all)).map((name) => openFile(join(root, all, name)))
  const plan = { policies: [], estimators: [choose(estimators.get('bytes'))], budgets: [], references: true }
  await simulateSources(sources, plan, { traces })
  return Buffer.concat(parts).toString('latin1').replaceAll('\0', '')
}

const found: { readonly command: string; readonly form: string; readonly kinds: ReadonlySet<Kind> }[] = []

/** What each row printed and wrote, as it is without `--redact`. */
const plain = new Map<Row, string>()

beforeAll(async () => {
  for (const row of rows) {
    plain.set(row, await outputOf(row.argv))
    found.push({ command: row.command, form: row.form, kinds: kindsIn(plain.get(row) as string) })
  }
  const noted = kindsIn(said)
  said = ''
  for (const command of ['simulate', 'export', 'spend', 'history']) {
    const more = command === 'export' ? ['--to', 'ctxwin', '-o', 'written/'] : []
    const inputs = command === 'history' ? failing.map((name) => [name]) : [failing]
    for (const files of inputs) await outputOf([command, ...files, ...more])
  }
  found.push(
    { command: 'standard error', form: 'notes', kinds: noted },
    { command: 'standard error', form: 'errors', kinds: kindsIn(said) },
    { command: 'the cache directory', form: '`traces/`', kinds: kindsIn(await keptOf()) },
  )
}, 300_000)

/** The table: forms of a command that have the same in them are one row. */
function table(): string {
  const columns = Object.keys(kinds) as Kind[]
  const lines = new Map<string, { command: string; forms: Set<string>; cells: string }>()
  for (const { command, form, kinds: has } of found) {
    const cells = columns.map((kind) => (has.has(kind) ? ' yes' : '')).join(' |')
    const row = lines.get(`${command} ${cells}`) ?? { command, forms: new Set(), cells }
    row.forms.add(form)
    lines.set(`${command} ${cells}`, row)
  }
  const named = (command: string) =>
    command.includes(' ') ? command : command === 'alone' ? '`ctxwin`' : `\`${command}\``
  return [
    `| | | ${columns.join(' | ')} |`,
    `|${'---|'.repeat(columns.length + 2)}`,
    ...[...lines.values()].map(
      ({ command, forms, cells }) => `| ${named(command)} | ${[...forms].join(', ')} |${cells} |`,
    ),
  ].join('\n')
}

/** Without what it is called; numbers, and what is null, stay. */
function figuresOf(json: string): unknown {
  return JSON.parse(json, (_, value) => (typeof value === 'string' ? '' : value))
}

describe('--redact', () => {
  // What is derived of a key is slow on purpose, and the same each time: here it took a third of all.
  const secret = crypto.scryptSync('a', 'ctxwin redaction', 32)
  beforeAll(() => {
    vi.spyOn(crypto, 'scryptSync').mockImplementation((...asked) => {
      expect(asked).toEqual(['a', 'ctxwin redaction', 32])
      return secret
    })
    syncBuiltinESMExports()
  })
  afterAll(() => {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
  })

  const redacted = (argv: readonly string[]) => outputOf(argv, { CTXWIN_REDACT_KEY: 'a' })
  const having = new Set(
    commands.filter(({ settings }) => settings.some((key) => key === 'redact')).map(({ name }) => name),
  )
  const sharable = rows.filter(
    ({ command, form }) =>
      (command === 'alone' || having.has(command as never)) && form !== 'partial' && form !== '`--init`',
  )

  it.each([...new Set(sharable.map(({ command }) => command))])(
    'leaves no planted word in any output of %s',
    async (name) => {
      for (const row of sharable.filter(({ command }) => command === name)) {
        const { argv } = row
        said = ''
        const printed = await redacted(argv)
        expect([...kindsIn(printed + said)], argv.join(' ')).toEqual([])
        if (argv.at(-1) === 'json') {
          expect(figuresOf(printed), argv.join(' ')).toEqual(figuresOf(plain.get(row) as string))
        }
      }
    },
  )

  it('keeps the bytes of what is converted: others come to the same figures', async () => {
    const figures: unknown[] = []
    for (const flags of [[], ['--redact']]) {
      await outputOf(['export', session, '--to', 'ctxwin', '-o', 'shared.jsonl', ...flags])
      const printed = await outputOf(['simulate', 'shared.jsonl', ...cheap, '--json'])
      // A note says that the sizes it brings along are those of another estimator. What is used later goes by the words.
      const isOfWords = (key: string) => key === 'references' || key.startsWith('headline')
      const { runs, totals } = JSON.parse(printed, (key, value) => (isOfWords(key) ? undefined : value))
      figures.push(figuresOf(JSON.stringify({ runs, totals })))
    }
    expect(figures[1]).toEqual(figures[0])
  })

  it('leaves none in errors', async () => {
    said = ''
    for (const file of failing) await redacted(['history', file])
    await redacted(['simulate', ...failing])
    expect(said).toMatch(/no known transcript format/)
    expect([...kindsIn(said)]).toEqual([])
  })
})

describe('docs/privacy.md', () => {
  it('has what is found in each output of planted words: read what is new, then npm run renew', async () => {
    const page = readFileSync('docs/privacy.md', 'utf8')
    const found = page.replace(/(?<=\n)\| \| \| file names[\s\S]*?(?=\n\n)/, () => table())
    await expect(found).toMatchFileSnapshot('../../docs/privacy.md')
  })

  it('is about every command: each has a line in words or without of test/privacy/rows.ts', () => {
    expect([...Object.keys(words), ...without].sort()).toEqual(commands.map(({ name }) => name).sort())
  })
})
