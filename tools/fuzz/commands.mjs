/**
 * The command lines to run on a file. They are built from the program's own list of commands and settings, so a new
 * command or a new value of a setting is included automatically.
 */

/** Values for settings that the program lists no values for. Other settings keep their defaults. */
const values = {
  budget: ['0', '1', '200', '2k', '20k', '100k', '1,200,2k,50k'],
  model: ['gpt-5', 'claude-sonnet-4-5', 'nobody-knows-it'],
  preamble: ['0', '1000', 'auto'],
  assert: ['maxPeakTokens=1', 'maxCuts=0', 'minSavedPercent=20', 'maxLostReferencePercent=5', 'maxDamagedLines=0'],
  tolerance: ['1', '100'],
  maxWarnings: ['0'],
  since: ['2025-06-01', '2026-03-14T12:00Z', '..2026-03-14'],
  last: ['1', '2'],
  project: ['app', '/'],
  onlyModel: ['claude', 'gpt'],
  minRequests: ['2'],
}

/** Settings that are never used: `--count remote` would use the network, and the others name files. */
const never = ['count', 'countCache', 'prices', 'outputFile', 'baselineFile', 'policy']

/** Flags that are never used: what goes on with a file has no end. */
const neverFlags = ['--follow']

/**
 * The share of command lines with a setting. A random format is mostly the wrong one, so it is rare, and so is what leaves
 * all transcripts out.
 */
const oftenness = {
  budget: 0.9,
  format: 0.03,
  ...{ since: 0.03, last: 0.05, project: 0.03, onlyModel: 0.03, minRequests: 0.03 },
}

const flagValues = {
  '--at': ['0', '1', 'e1', '3'],
  '--changed': ['2026-03-02', '2026-03-14T12:00Z'],
  '--tolerance': ['0', '1%', '100'],
  ...{ '--folds': ['2', '3'], '--seconds': ['1', '2'] },
}

/**
 * @param program `commands` and `setting` of the command line, and its registries by the words settings have for them
 * @returns {(readonly string[])[]} every command line that reads files, once with each output and each provider
 */
export function allLines({ commands, setting, registries }, file) {
  return commands
    .filter(readsFiles)
    .flatMap(inModes)
    .flatMap(({ command, takes, fixed }) => {
      const words = (key) => (takes.includes(key) ? wordsOf(setting(key), registries) : [])
      const variants = [
        ...words('output').map((word) => ['--output', word]),
        ...words('provider').map((word) => ['--provider', word]),
      ]
      const usual = takes.includes('budget') ? ['--budget', '200'] : []
      return (variants.length > 0 ? variants : [[]]).map((variant) =>
        finished(command, file, [...fixed, ...usual, ...variant]),
      )
    })
}

/** The command, and what flags make of it, each with the settings that it takes then and the flags that say so. */
function inModes(command) {
  const { settings, flags = [], modes = [] } = command
  return [
    {
      command,
      takes: settings,
      flags: flags.filter(([notation]) => !modes.some((mode) => isOf(mode, notation))),
      fixed: [],
    },
    ...modes.flatMap(({ key, values = [null], takes, own }) =>
      values.map((value) => ({
        command,
        takes: takes.filter((one) => settings.includes(one)),
        flags: flags.filter(([notation]) => [...takes, ...own].includes(keyOf(notation))),
        fixed: value === null ? [`--${key}`] : [`--${key}`, value],
      })),
    ),
  ]
}

const keyOf = (notation) => notation.match(/--([\w-]+)/)[1].replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase())
const isOf = ({ key, own }, notation) => [key, ...own].includes(keyOf(notation))

/** @returns some command lines with some settings: always `simulate` as JSON, and `count` others */
export function someLines({ commands, setting, registries }, file, random, count) {
  const reading = commands.filter(readsFiles).flatMap(inModes)
  const simulate = reading.find(({ command }) => command.name === 'simulate')
  const chosen = Array.from({ length: count }, () => random.one(reading))
  const drawn = (mode, more) => finished(mode.command, file, [...mode.fixed, ...more, ...drawnFlags(mode)])
  const drawnFlags = (mode) => {
    const flags = []
    for (const key of mode.takes) {
      if (never.includes(key) || !random.chance(oftenness[key] ?? 0.2)) continue
      const { flags: notation } = setting(key)
      const name = notation.split(/[ ,]+/).find((word) => word.startsWith('--'))
      if (!notation.includes('<')) flags.push(name)
      else {
        const words = values[key] ?? wordsOf(setting(key), registries)
        if (words.length > 0) flags.push(name, random.one(words))
      }
    }
    if (mode.takes.includes('policy') && random.chance(0.6)) {
      flags.push(
        '--policy',
        random.chance(0.1) ? registries.policies.names.join(',') : random.one(registries.policies.names),
      )
    }
    for (const [notation] of mode.flags) {
      const [name] = notation.split(' ')
      if (neverFlags.includes(name) || !random.chance(0.25)) continue
      if (!notation.includes('<')) flags.push(name)
      else if (flagValues[name]) flags.push(name, random.one(flagValues[name]))
    }
    return flags
  }
  return [drawn(simulate, ['--output', 'json']), ...chosen.map((mode) => drawn(mode, []))]
}

/** Whether a command line compares with a baseline if there is one. */
export function hasBaseline([command, ...words]) {
  return command === 'check' && !words.includes('--no-baseline') && !words.includes('--update-baseline')
}

const readsFiles = ({ inputs }) => inputs === 'many' || inputs === 'session' || inputs === 'one'

/** Adds what a command line needs to do something: `check` without a limit only says that there is none. */
function finished({ name, isBare }, file, flags) {
  const more = []
  if (flags.includes('--init')) {
    if (!flags.includes('--force')) more.push('--force')
  } else if (name === 'check') more.push('--assert', 'maxOverBudgetRequests=1000000')
  return [...(isBare ? [] : [name]), file, ...withoutClashes(flags), ...more]
}

/** Removes combinations that the command line would refuse before reading a file. */
function withoutClashes(flags) {
  const twice = (name) => flags.filter((flag) => flag === name).length > 1
  let kept = flags
  if (flags.includes('--no-baseline')) kept = kept.filter((flag) => flag !== '--update-baseline')
  if (flags.includes('--changed')) kept = kept.filter((flag) => flag !== '--full')
  if (twice('--output')) {
    const second = kept.lastIndexOf('--output')
    kept = kept.toSpliced(second, 2)
  }
  return kept
}

function wordsOf({ words }, registries) {
  return typeof words === 'string' ? registries[words].names : (words ?? [])
}
