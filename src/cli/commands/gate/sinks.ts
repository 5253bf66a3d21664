/** Outputs of a check's reporters: standard output, files, and on GitHub Actions the job summary. */
import { isAbsolute, relative, sep } from 'node:path'
import type { CheckResult } from '../../../check/outcome.ts'
import { checkReporters } from '../../../check/reporters/index.ts'
import type { CheckReporter } from '../../../check/reporters/reporter.ts'
import type { Resolved, Settings } from '../../inputs/config.ts'
import { misuse } from '../../inputs/misuse.ts'
import { atOrigin, listOf } from '../../inputs/options.ts'
import { reporterNames } from '../../inputs/settings.ts'
import { openOutput } from '../../output/io.ts'
import type { World } from '../../output/world.ts'

type Sink = (result: CheckResult) => Promise<void>

/**
 * Opens all outputs first, so that a bad path fails before a long run.
 * @throws CtxwinError for an unknown reporter, an unwritable file, two streams in one
 */
export function openSinks(settings: Settings, flags: Readonly<Record<string, unknown>>, world: World): Sink[] {
  const directory = directoryIn(world)
  const open = (reporter: CheckReporter, file: string | null, mode?: 'append'): Sink => {
    const output = openOutput(world, file, mode)
    // Logs of CI are searched by the line.
    const width = output.isTerminal || (file === null && world.env.COLUMNS !== undefined) ? output.width : Infinity
    return (result) => output.write(reporter.render(result, { color: output.color, width, directory }))
  }
  const files = new Map(
    reporterNames.flatMap((name): [string, string][] => {
      const file = flags[`outputFile.${name}`]
      return typeof file === 'string' ? [[name, file]] : []
    }),
  )
  // Naming a file for a reporter selects the reporter.
  const names = new Set([...listOf(settings, 'reporter'), ...files.keys()])
  const chosen = atOrigin(settings.get('reporter') as Resolved, () =>
    [...names].map((name) => checkReporters.get(name)),
  )
  const onScreen = chosen.filter(({ name }) => !files.has(name))
  const alone = onScreen.find(({ readBy }) => readBy === 'programs')
  if (alone && onScreen.length > 1) {
    throw misuse(`${alone.name} has to be alone on standard output: use --output-file.${alone.name}`)
  }
  const inFiles = [...files].map(([name, file]) => open(checkReporters.get(name), file))
  const screens = onScreen.map((reporter) => open(reporter, null))
  // The screen comes last: it must not say that all is well if a file then cannot be written.
  if (world.env.GITHUB_ACTIONS !== 'true') return [...inFiles, ...screens]
  const summary = world.env.GITHUB_STEP_SUMMARY
  return [
    ...inFiles,
    // GitHub's is a whole path. A relative one would lead into the checkout, and may be a link there.
    ...(summary && isAbsolute(summary) ? [open(checkReporters.get('markdown'), summary, 'append')] : []),
    ...screens,
    ...(alone || names.has('github') ? [] : [open(checkReporters.get('github'), null)]),
  ]
}

/** GitHub names files from the top of the repository, whatever directory a job works in. */
function directoryIn(world: World): string {
  const top = world.env.GITHUB_WORKSPACE
  if (!top) return ''
  const path = relative(top, world.cwd())
  return path === '' || path.startsWith('..') || isAbsolute(path) ? '' : `${path.split(sep).join('/')}/`
}
