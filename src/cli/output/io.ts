/** The only writer of data, to stdout or a file. */
import { fstatSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { ReportOptions } from '../../app/index.ts'
import { safeScreen } from '../../base/quoting.ts'
import { openDraft, targetOf, writing } from './whole-file.ts'
import { type Screen, type World, widthOf } from './world.ts'

export interface Output {
  readonly width: number
  readonly color: boolean
  /** It goes to a terminal, and not to a file. */
  readonly isTerminal: boolean
  /** How a report is drawn that has no options of its own. */
  readonly looks: ReportOptions
  /**
   * Writes the result, all of it: a file holds it whole afterwards, or what it held before.
   * @throws CtxwinError when it cannot be written
   */
  write(chunks: Iterable<string> | AsyncIterable<string>): Promise<void>
}

/**
 * Opens the output of a command. A bad path fails here, before a long run; a file is not touched until the result is
 * written.
 * @throws CtxwinError when the file could not be written
 */
export function openOutput(world: World, file: string | null, mode: 'replace' | 'append' = 'replace'): Output {
  const terminal = file === null && world.stdout.isTTY === true
  const [width, color] = [file === null ? widthOf(world) : 80, wantsColor(world, terminal)]
  return {
    ...{ width, color, isTerminal: terminal },
    looks: { width, color, cuts: 'none', by: 'transcript' },
    write: file === null ? toScreen(world.stdout) : toFile(resolve(world.cwd(), file), file, mode),
  }
}

/**
 * FORCE_COLOR is as Node and its programs have it, and wins over
 * the others there; NO_COLOR is https://no-color.org, CLICOLOR and CLICOLOR_FORCE are https://bixense.com/clicolors.
 */
function wantsColor({ env }: World, terminal: boolean): boolean {
  if (env.FORCE_COLOR !== undefined) return ['', '1', '2', '3', 'true'].includes(env.FORCE_COLOR)
  if (env.NO_COLOR) return false
  if (env.CLICOLOR_FORCE && env.CLICOLOR_FORCE !== '0') return true
  return terminal && env.CLICOLOR !== '0' && env.TERM !== 'dumb'
}

function toScreen(screen: Screen): Output['write'] {
  const file = fileBehind(screen)
  return async (chunks) => {
    for await (const chunk of chunks) {
      if (screen.destroyed) return
      if (file !== null) writing('standard output', () => writeFileSync(file, safeScreen(chunk)))
      else if (!screen.write(chunk)) await drained(screen)
    }
  }
}

/**
 * Node's own stream (20 and 22) ignores a short write on a full disk and loses the rest, so a file is written directly.
 */
function fileBehind({ fd }: Screen): number | null {
  return fd !== undefined && fstatSync(fd).isFile() ? fd : null
}

/** Resolves when the reader at the other end has caught up or is gone. */
function drained(screen: Screen): Promise<void> {
  return new Promise((done) => {
    const finish = () => {
      screen.off('drain', finish).off('close', finish)
      done()
    }
    screen.on('drain', finish).on('close', finish)
  })
}

async function joined(chunks: Iterable<string> | AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const chunk of chunks) text += chunk
  return text
}

/** Characters to write before yielding to the event loop, so that signals are handled. */
const stretch = 1 << 20

function toFile(path: string, name: string, mode: 'replace' | 'append'): Output['write'] {
  const target = targetOf(path, name, mode)
  return async (chunks) => {
    const draft = openDraft(target)
    try {
      let size = 0
      // Others may append to the same file, so the text is written at once.
      for await (const chunk of mode === 'append' ? [await joined(chunks)] : chunks) {
        draft.write(chunk)
        size += chunk.length
        if (size < stretch) continue
        size = 0
        await setImmediate()
      }
      draft.complete()
    } finally {
      draft.discard()
    }
  }
}
