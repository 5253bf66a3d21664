/** The first file of the program: it runs the bundle of the others. What it imports itself is loaded by every run. */
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { wantOfSpace, warningOfSpace } from '../../base/address-space.ts'
import { type LoadedScript, loadScript } from '../../cache/code.ts'
import { cachesOf } from '../../cache/directory.ts'
import { namedCommands } from '../inputs/commands.ts'
import { inputOf } from '../output/stdin.ts'
import type { hook } from './hook.ts'
import type { main } from './main.ts'
import { v8Flags } from './v8-flags.ts'

for (const flag of v8Flags(warningOfSpace() === null)) setFlagsFromString(flag)

const argv = process.argv.slice(2)
const [word = '', flag] = argv

function load<Exports>(bundle: 'hook' | 'main'): LoadedScript<Exports> {
  return loadScript<Exports>(
    fileURLToPath(new URL(`../../${bundle}.cjs`, import.meta.url)),
    cachesOf(argv, process.env),
    // What is no command is a path, and names of files are kept nowhere.
    namedCommands.some(({ name }) => name === word) ? word : 'flags',
  )
}

async function run(): Promise<void> {
  let input: string | null = null
  if (word === 'advise' && flag === '--hook') {
    const quick = load<{ readonly hook: typeof hook }>('hook')
    input = await inputOf(process)
    if (await quick.exports.hook(argv, process, input)) return quick.keep()
  }
  const program = load<{ readonly main: typeof main }>('main')
  const code = await program.exports.main(argv, process, input)
  process.exitCode = code
  // Compiled code is kept only after a run that did something, not after a mistyped command.
  if (code < 2) program.keep()
}

const want = wantOfSpace()
if (want === null) run()
else {
  process.stderr.write(`ctxwin: ${want}\n`)
  process.exitCode = 2
}
