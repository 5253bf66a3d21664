/**
 * Runs a script with the code that V8 compiled of it in an earlier run: reading and compiling two megabytes of source takes
 * longer than most commands. Node has the same for modules (`module.enableCompileCache`), but not in Node 20, and it keeps
 * no function that was compiled after a module had been loaded, which most are.
 *
 * V8 itself compares nothing but the length of a source, and runs what it is given. So what is read must be ours: a file of
 * this user that nobody else may write to, with the checksum that was written, named by the content of the script and by
 * the version, flags and processor that V8 compiled for. Anything else is ignored, and replaced.
 */
import { isAscii } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { cachedDataVersionTag } from 'node:v8'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'
import { openStore } from './store.ts'

export interface LoadedScript<Exports> {
  readonly exports: Exports
  /** Writes down what has been compiled until now, unless the script was loaded from that. Nothing comes of a failure. */
  keep(): void
}

/**
 * @param file a CommonJS module, which calls `importModule` where it would `import()`
 * @param caches where what can be made again is kept; null for nowhere
 * @param use what it is run for: code is kept for each use by itself, as each compiles other functions
 */
export function loadScript<Exports>(file: string, caches: string | null, use: string): LoadedScript<Exports> {
  const bytes = readFileSync(file)
  // The decoder of UTF-8 takes 7 ms for two megabytes, even of ASCII.
  const text = bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8')
  // On one line: the lines in a stack are those of the file. The script cannot say `import()`: letting it is experimental,
  // which Node says on stderr.
  const source = `(function (exports, require, module, __filename, __dirname, importModule) { ${text}\n})`
  const about = [use, cachedDataVersionTag(), crc32(bytes), bytes.length]
  const store = caches === null ? null : openStore(join(caches, 'code'))
  const cachedData = store?.find(about)
  const script = new Script(source, {
    filename: file,
    ...(cachedData && { cachedData }),
  })
  const module = { exports: {} }
  const run = script.runInThisContext()
  run(module.exports, ownRequire ?? createRequire(file), module, file, dirname(file), (name: string) => import(name))
  return {
    exports: module.exports as Exports,
    keep() {
      const isNew = cachedData === undefined || script.cachedDataRejected === true
      if (store && isNew) store.keep(about, script.createCachedData())
    },
  }
}

// Of the bundle that this is in, which lies beside the script: `node:module` takes 2 ms to load.
declare const require: NodeJS.Require | undefined
const ownRequire = typeof require === 'undefined' ? null : require
