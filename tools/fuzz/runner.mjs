/**
 * A process that runs command lines as bin/ctxwin.js would, with the default stack size, but loads the modules only once.
 * Its parent sends it:
 *
 *     { id, name, bytes, good, lines }   a file in base64, the file when its baseline was made, its command lines
 *     { id, seed, number }               a case, which is built here
 *
 * It sends { id, line } before each command line, so that the parent knows which one hangs or kills the process, and
 * { id, ran, failures } at the end.
 */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { CtxwinError, estimators, openFile, policies, readers, reports } from '../../dist/app/index.js'
import { checkReporters } from '../../dist/check/reporters/index.js'
import { commands } from '../../dist/cli/inputs/commands.js'
import { setting } from '../../dist/cli/inputs/settings.js'
import { main } from '../../dist/cli/start/main.js'
import { readTranscripts } from '../../dist/readers/read.js'
import { caseOf, transcriptsIn } from './cases.mjs'
import { hasBaseline } from './commands.mjs'
import { judge, judgeReport } from './judge.mjs'
import { loadSchemas } from './schemas.mjs'

const folders = process.argv.slice(2)
const transcripts = transcriptsIn(folders)
const registries = { formats: readers, policies, estimators, reports, reporters: checkReporters }
const program = { commands, setting, registries }
const schemas = loadSchemas()
const cwd = mkdtempSync(join(tmpdir(), 'ctxwin-fuzz-'))
process.on('exit', () => rmSync(cwd, { recursive: true, force: true }))
process.on('disconnect', () => process.exit())

/** An uncaught exception during a command line, which would have ended the program. */
let thrown = null
process.on('uncaughtException', (error) => {
  thrown = error
})

process.on('message', async (task) => {
  const { name, bytes, lines, good } =
    task.lines === undefined
      ? caseOf(transcripts, task.seed, task.number, program)
      : { ...task, bytes: Buffer.from(task.bytes, 'base64'), good: task.good && Buffer.from(task.good, 'base64') }
  const path = join(cwd, name)
  const failures = []
  for (const line of lines) {
    process.send({ id: task.id, line })
    if (good !== null && hasBaseline(line)) {
      writeFileSync(path, good)
      await ran([...line, '--update-baseline'])
    }
    writeFileSync(path, bytes)
    let found = judge(line, await ran(line), schemas, bytes)
    // Run it again: on a busy machine one slow run proves nothing.
    if (found?.law === 'slow') found = judge(line, await ran(line), schemas, bytes)
    if (found) failures.push({ ...found, line })
    for (const left of readdirSync(cwd)) rmSync(join(cwd, left), { recursive: true })
  }
  if (!/\.(gz|zst)$/.test(name)) {
    writeFileSync(path, bytes)
    const found = await unaccounted(path, bytes)
    if (found) failures.push({ ...found, line: ['simulate', name] })
    rmSync(path)
  }
  process.send({ id: task.id, ran: lines.length, failures, bytes: bytes.length })
})

process.send({ ready: true })

async function unaccounted(path, bytes) {
  try {
    const options = { format: 'auto', sizersFor: () => [], keepMessages: false }
    return judgeReport(await readTranscripts(openFile(path), options, () => {}), bytes)
  } catch (error) {
    // The commands' handling of such errors is judged with the commands.
    if (error instanceof CtxwinError || error instanceof RangeError) return null
    return judge(['simulate'], { code: 70, stdout: '', stderr: error.stack, seconds: 0 }, schemas, bytes)
  }
}

async function ran(argv) {
  const [stdout, stderr] = [collector(), collector()]
  const began = process.cpuUsage()
  thrown = null
  let code = await main(argv, {
    stdin: Readable.from([]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: {},
    cwd: () => cwd,
  })
  // CPU time, as the machine may be busy.
  const { user, system } = process.cpuUsage(began)
  let errors = stderr.text()
  if (thrown) {
    code = 70
    errors = `${errors}${thrown.stack ?? thrown}`
  }
  return { code, stdout: stdout.text(), stderr: errors, seconds: (user + system) / 1e6 }
}

function collector() {
  const chunks = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString() }
}
