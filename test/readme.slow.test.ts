/** The README and the docs: each command that they tell the reader to run runs, and prints what they show. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { namedCommands } from '../src/cli/inputs/commands.ts'
import { runCli } from './cli/run.ts'
import { drawnIn, pages, parse, root, shownIn, toldIn } from './docs.ts'

const readme = readFileSync(`${root}README.md`, 'utf8')
const tutorial = readFileSync(`${root}docs/tutorial.md`, 'utf8')
const ownFormat = readFileSync(`${root}docs/own-format.md`, 'utf8')

/** Command lines that do not run here, and why. */
const exceptions: Readonly<Record<string, string>> = {
  'ctxwin list policies NAME': 'has a blank to fill in',
  'ctxwin list policies --stale': 'asks npm about each package: see test/clients/registry.slow.test.ts',
  'ctxwin calibrate DIRECTORY': 'has a blank to fill in',
  'ctxwin check': 'is the name of the command: it needs a limit or a baseline',
  'ctxwin emit': 'is the name of the command: it needs a policy',
  'ctxwin history --request session.jsonl --at 12 --count remote': 'asks a provider',
  'ctxwin tune ~/.claude/projects --since 30d --output config --output-file ctxwin.config.jsonc':
    'needs more sessions than one: see test/app/tune/tune.test.ts',
  'ctxwin tune ~/.claude/projects --since 30d --output config --output-file tuned.jsonc': 'needs more sessions, too',
  'ctxwin check --journal ctxwin-probe.ndjson --assert maxProbeWorse=3':
    'needs what a model answered: see test/cli/commands/probe.slow.test.ts',
  'ctxwin probe logs/ --policy drop-steps --budget 50k --endpoint anthropic --ask claude-sonnet-4-5 --max-usd 5':
    'asks a provider: see test/cli/commands/probe.slow.test.ts',
  'ctxwin probe logs/ --policy drop-steps --budget 50k --endpoint anthropic --ask claude-sonnet-4-5 --max-usd 5 --output html -o probe.html':
    'asks a provider: see test/cli/commands/probe.slow.test.ts',
  'ctxwin probe logs/ --policy drop-steps --budget 50k --endpoint http://localhost:11434/v1 --ask qwen3 --max-requests 200':
    'asks a server: see test/cli/commands/probe.slow.test.ts',
  'ctxwin merge /shared/parts/': 'merges what a cluster wrote',
  'ctxwin merge /shared/parts/part-*': 'merges what a cluster wrote',
  'ctxwin simulate desk.jsonl --format ./desk.mjs --budget 400': 'runs below, where its figures are looked at',
  'ctxwin simulate trajectories.parquet': 'reads a table that is not in the repository: see test/readers/tables',
}

/** Steps that a page takes before one of its commands. */
const before: Readonly<Record<string, readonly string[]>> = {
  'ctxwin merge part-*.ndjson': ['simulate logs --output partial -o part-1.ndjson'],
  'ctxwin merge part-*.ndjson --output json': ['simulate logs --output partial -o part-1.ndjson'],
  'ctxwin trust': ['check --init transcripts/'],
  'ctxwin trust --revoke ./desk.mjs': ['trust ./desk.mjs'],
  'npx ctxwin check': ['check --init transcripts/'],
  'npx ctxwin check --update-baseline': ['check --init transcripts/'],
  'npx ctxwin check transcripts/': ['check --init transcripts/'],
}

/** As `tune` writes it, for commands that name it. */
const tuned = {
  policy: 'tuned',
  budget: 190_000,
  policies: { tuned: [{ knobs: { trigger: 'pays/over', unit: 'step', target: 'value:90000:1+watermark:0.5' } }] },
}

const places: string[] = []
afterAll(() => {
  for (const place of places) rmSync(place, { recursive: true })
})

/** A place with the files that the docs speak of, and a home where Claude Code has recorded a session. */
function aPlace(): { cwd: string; home: string } {
  const cwd = mkdtempSync(join(tmpdir(), 'ctxwin-docs-'))
  places.push(cwd)
  const session = `${root}fixtures/claude-code/refactor.jsonl`
  const home = join(cwd, 'home')
  const recorded = join(home, '.claude/projects/-home-ada-tidepool')
  for (const directory of [recorded, join(cwd, 'logs'), join(cwd, 'transcripts')])
    mkdirSync(directory, { recursive: true })
  // Two of the folders: CI checks them all.
  mkdirSync(join(cwd, 'fixtures'))
  for (const name of ['claude-code', 'openai-chat']) symlinkSync(`${root}fixtures/${name}`, join(cwd, 'fixtures', name))
  cpSync(session, join(recorded, '53ea19c1-5b1e-4c55-9d0e-2a61f0c4e8b7.jsonl'))
  for (const name of ['session.jsonl', 'transcript.jsonl', 'logs/a.jsonl']) cpSync(session, join(cwd, name))
  cpSync(`${root}fixtures/openai-chat/tools.jsonl`, join(cwd, 'transcripts/a.jsonl'))
  const [, chat] = /^```json chats\.jsonl\n([\s\S]*?)^```$/m.exec(tutorial) as RegExpExecArray
  writeFileSync(join(cwd, 'chats.jsonl'), `${JSON.stringify(JSON.parse(chat as string))}\n`)
  for (const [, name, text] of ownFormat.matchAll(/^```\w+ (desk\.\w+)\n([\s\S]*?)^```$/gm)) {
    writeFileSync(join(cwd, name as string), text as string)
  }
  mkdirSync(join(cwd, 'node_modules'))
  symlinkSync(root, join(cwd, 'node_modules/ctxwin'))
  return { cwd, home }
}

describe('the README and the docs', () => {
  const shown = pages.flatMap((page) => shownIn(page).map(([line, output]) => [page.name, line, output] as const))
  it.each(shown)('%s shows what ctxwin %s prints', async (_, line, output) => {
    const { stdout } = await runCli(parse(`ctxwin ${line}`, '').argv)
    expect(stdout).toBe(output)
  })

  const drawn = pages.flatMap((page) =>
    drawnIn(page).map(([line, file]) => [page.name, line, file, page.text] as const),
  )
  it.each(drawn)('%s has the picture that ctxwin %s draws', async (name, line, file, text) => {
    const { stdout } = await runCli(parse(`ctxwin ${line}`, '').argv)
    expect(stdout).toBe(readFileSync(root + file, 'utf8'))
    expect(text).toContain(`](${name.startsWith('docs/') ? file.slice('docs/'.length) : file})`)
  })

  it('show a session that anybody can write again', () => {
    const { stdout } = spawnSync(process.execPath, [`${root}tools/docs/session.mjs`], { encoding: 'utf8' })
    expect(stdout).toBe(readFileSync(`${root}fixtures/claude-code/moorings.jsonl`, 'utf8'))
  })

  const told = [...new Map(pages.flatMap((page) => toldIn(page).map((line) => [line, page.name] as const)))]
    .filter(([line]) => !Object.hasOwn(exceptions, line))
    .map(([line, name]) => [name, line] as const)
  it.each(told)('%s says %s, which runs', async (_, line) => {
    const { cwd, home } = aPlace()
    const { argv, env } = parse(line, home)
    const world = { cwd, env: { HOME: home, ...env }, terminal: true, now: Date.UTC(2026, 2, 15) }
    const [, config] = /--config (\S+\.jsonc)/.exec(line) ?? []
    if (config !== undefined) writeFileSync(join(cwd, config), JSON.stringify(tuned))
    for (const first of before[line] ?? []) await runCli(first.split(' '), world)
    const { code, stdout, stderr } = await runCli(argv, world)
    expect({ line, code, stderr }).toEqual({ line, code: 0, stderr })
    // `export` writes into a store, and says so.
    expect(stdout + stderr).not.toBe('')
  })
})

describe('docs/own-format.md', () => {
  const told = /^```text (ctxwin [^\n]+)\n([\s\S]*?)^```$/m.exec(ownFormat) as RegExpExecArray
  it('shows what is said of its log', async () => {
    const { cwd, home } = aPlace()
    const { code, stderr } = await runCli(parse(told[1] as string, home).argv, { cwd })
    expect([code, stderr]).toEqual([2, told[2]])
  })

  it('has a reader that reads its log whole', async () => {
    const { cwd, home } = aPlace()
    const [line = ''] = toldIn({ name: '', text: ownFormat }).filter((line) => line.startsWith('ctxwin simulate '))
    const { stdout } = await runCli([...parse(line, home).argv, '--json'], { cwd })
    const { runs } = JSON.parse(stdout)
    expect(runs).toMatchObject([{ format: 'desk', conversation: '7', requests: 2 }])
  })
})

describe('README', () => {
  it('has a line and an example for each command', () => {
    const missing = namedCommands.filter(
      ({ name }) => !new RegExp(`\\| \`${name}\` \\|.*\`ctxwin ${name}`).test(readme),
    )
    expect(missing.map(({ name }) => `README.md: | \`${name}\` | what it shows | \`ctxwin ${name} …\` |`)).toEqual([])
  })

  it('gives the two commands that CI runs', () => {
    const ci = readFileSync(`${root}.ci/run`, 'utf8')
    expect(ci).toContain(/npx ctxwin simulate [^\n]+/.exec(readme)?.[0])
    expect(ci).toContain('npm test')
  })
})

describe('the pages', () => {
  it('explain every column of the tables', async () => {
    const text = ['docs/tables.md', 'docs/metrics.md'].map((name) => readFileSync(root + name, 'utf8')).join('')
    const file = 'fixtures/claude-code/refactor.jsonl'
    const lines = [
      `simulate ${file} fixtures/openai-chat/tools.jsonl --budget 20k,100`,
      ...['request', 'exchange', 'reference'].map((by) => `simulate ${file} --budget 20k --by ${by}`),
      `recommend ${file} --budget 16k,20k --policy ikigai,drop-messages,forge`,
      `history --exchanges ${file} fixtures/openai-chat/tools.jsonl`,
      `spend ${file}`,
      `calibrate ${file} fixtures/claude-code/compaction.jsonl`,
    ]
    const headers = new Set<string>()
    for (const line of lines) {
      const { stdout } = await runCli(line.split(' '), { env: { COLUMNS: '500' } })
      const printed = stdout.split('\n')
      for (const [at, rule] of printed.entries()) {
        // Above totals there is a rule as well.
        if ((printed[at - 2] ?? '') !== '' || !/^─+( {2}─+)*$/.test(rule)) continue
        for (const { index, 0: part } of rule.matchAll(/─+/g)) {
          headers.add((printed[at - 1] as string).slice(index, index + part.length).trim())
        }
      }
    }
    expect(headers.size).toBeGreaterThan(60)
    expect([...headers].filter((header) => !text.includes(`\`${header}\``))).toEqual([])
  })

  it('have no exception that none of them needs', () => {
    const told = new Set(pages.flatMap(toldIn))
    expect(Object.keys(exceptions).filter((line) => !told.has(line))).toEqual([])
  })
})
