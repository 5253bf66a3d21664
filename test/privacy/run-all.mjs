/**
 * Runs command lines of standard input (JSON) in one process, where nothing can reach a network, and prints what each came
 * to: `[{ code, stdout, stderr, attempts }]`.
 */
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { loadScript } from '../../dist/cache/code.js'
import { attempts } from './no-network.mjs'

// The bundle, as users run it: its modules one by one would take longer to load than what is run.
const bundle = fileURLToPath(new URL('../../dist/main.cjs', import.meta.url))
const { main } = loadScript(bundle, null, 'tests').exports

let input = ''
for await (const chunk of process.stdin) input += chunk
const results = []
for (const { argv, cwd, env, now } of JSON.parse(input)) {
  const [stdout, stderr] = ['', ''].map(collecting)
  attempts.length = 0
  const code = await main(argv, { stdin: Readable.from([]), stdout, stderr, env, cwd: () => cwd, now: () => now })
  results.push({ code, stdout: stdout.text, stderr: stderr.text, attempts: [...attempts] })
}
process.stdout.write(JSON.stringify(results))

function collecting() {
  const stream = new Writable({
    write(chunk, _encoding, done) {
      stream.text += chunk
      done()
    },
  })
  stream.text = ''
  return stream
}
