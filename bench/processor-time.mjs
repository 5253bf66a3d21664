/** Processor time of a whole run of Node, its start included. */
import { spawnSync } from 'node:child_process'

/** A process has a third stream, to which it writes its seconds of processor time when it ends. */
const atExit = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs'
  process.on('exit', () => {
    const { user, system } = process.cpuUsage()
    writeSync(3, String((user + system) / 1e6))
  })`)}`

/**
 * @param args of Node
 * @param options of the process
 * @param mostCode exit codes up to it are no failure
 * @returns seconds
 */
export function processorTime(args, options = {}, mostCode = 0) {
  const stdio = ['ignore', 'ignore', 'inherit', 'pipe']
  const { status, output } = spawnSync(process.execPath, ['--import', atExit, ...args], { stdio, ...options })
  if (status === null || status > mostCode) throw new Error(`node ${args.join(' ')} failed`)
  return Number(output[3])
}

export function median(times) {
  return times.toSorted((one, other) => one - other)[times.length >> 1]
}
