/**
 * Failures that reach no `await` of ours: a timer or a promise of a user's own module that fails, during the run or
 * after it, and a module that calls `process.exit`. Node would end with 1, which means findings, or with the module's
 * own code.
 */
import { realpathSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { about, bugReport, elsewhere, type Place } from '../output/bug.ts'
import type { Process, World } from '../output/world.ts'

/**
 * Watches until the process ends.
 * @returns takes the exit code of a complete run, and gives the one that the process is to end with
 */
export function watchStray(process: Process, world: World): (code: number) => number {
  let stray = 0
  let result: number | null = null
  const tell = (error: unknown, what: string, remedy: string): void => {
    // A policy may leave one per message: only the first is reported.
    if (stray > 0) return
    const { sentence, frames, elsewhere } = bugReport(error)
    stray = elsewhere === null && error instanceof Error ? 70 : 2
    if (stray === 70) world.say(sentence, frames)
    else world.say(`${placeName(elsewhere, world)}: ${what}: ${remedy}`)
  }
  process.on?.('unhandledRejection', (reason) =>
    tell(reason, 'a promise fails and nobody waits for it', 'wait for it, or catch its error'),
  )
  process.on?.('uncaughtException', (error) =>
    tell(error, 'a timer or another callback throws an error', 'catch it there'),
  )
  process.on?.('exit', () => {
    if (result === null && stray === 0) {
      // The stack above this listener is the caller of process.exit. It is empty where Node had nothing left to wait
      // for.
      const place = elsewhere(String(new Error().stack).split('\n').slice(2))
      stray = place === null ? 70 : 2
      world.say(
        place === null
          ? `the run stopped before its result was complete: ${about}`
          : `${placeName(place, world)}: process.exit ended the run before its result was complete`,
      )
    }
    process.exitCode = Math.max(result ?? 0, stray)
  })
  return (code) => {
    result = code
    return Math.max(code, stray)
  }
}

function placeName(place: Place | null, { cwd }: World): string {
  if (place === null) return 'a policy or config file of your own'
  return `${relative(realpathSync(cwd()), place.file).split(sep).join('/')}, line ${place.line}`
}
