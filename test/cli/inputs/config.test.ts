/** Where each setting can come from, and the errors for a wrong config file. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { type CommandLine, commands, namedCommands } from '../../../src/cli/inputs/commands.ts'
import { type Setting, settings, variableOf } from '../../../src/cli/inputs/settings.ts'
import { runCli, wordsOf } from '../run.ts'

const cwd = mkdtempSync(join(tmpdir(), 'ctxwin-config-'))
const configs = ['ctxwin.config.json', 'ctxwin.config.jsonc', 'ctxwin.config.mjs', 'ctxwin.config.ts', 'package.json']
afterEach(() => {
  for (const name of configs) rmSync(join(cwd, name), { force: true })
})
afterAll(() => rmSync(cwd, { recursive: true }))
const configure = (text: string, name = 'ctxwin.config.json') => writeFileSync(join(cwd, name), text)
writeFileSync(
  join(cwd, 'a.jsonl'),
  '{"messages":[{"role":"user","content":"Hello"},{"role":"assistant","content":"Hi"}]}\n',
)

/** The value and origin of a setting, as printed by `--print-config`. */
async function shown(setting: Setting, given: readonly string[], env: Record<string, string>) {
  // Some are more than a file may say that nobody named.
  const isMore = ['countCache', 'cacheSize', 'redactKey'].includes(setting.key)
  const named = isMore && existsSync(join(cwd, configs[0] as string)) ? ['--config', configs[0] as string] : []
  const flags = [...given, ...named]

  const command = (withDefault(setting.key) ?? namedCommands.find((line) => knows(line, setting.key)))?.name as string
  const { stdout, stderr } = await runCli([...wordsOf(command), '--print-config', ...flags], { cwd, env })
  const line = stdout.split('\n').find((text) => text.startsWith(`${setting.key} `))
  const [, value, where] = /^\S+ +(.*) {2}\((.*)\)$/.exec(line ?? '') ?? []
  if (value === '(a secret)') return { value, where }
  return { value: value === undefined ? stderr : JSON.parse(value || 'null'), where }
}

const knows = ({ settings: known }: CommandLine, key: string): boolean => known.some((one) => one === key)

/** A command with the setting that does not choose its value by itself: `simulate` has most of them. */
const withDefault = (key: string): CommandLine | undefined =>
  [...namedCommands.filter(({ name }) => name === 'simulate'), ...namedCommands].find(
    (line) => knows(line, key) && !line.otherDefaults?.some((one) => one === key),
  )

/** A value that is not the default, in its three spellings. */
function other({ key, flags, list, default: value }: Setting) {
  if (typeof value === 'boolean') {
    const [said, unsaid] = flags.startsWith('--no-') ? [false, true] : [true, false]
    // Of the cache's flag the opposite is another flag.
    const opposite = key === 'traceCache' ? null : [flags.replace(/^--(no-)?/, said ? '--no-' : '--')]
    return { flag: [flags], flagged: said, opposite, unsaid }
  }
  const long = `--${/--([\w-]+)/.exec(flags)?.[1]}`
  return { flag: [long, `${key}1`], flagged: list ? [`${key}1`] : `${key}1`, opposite: null, unsaid: null }
}

const sayable = settings.filter(({ configOnly }) => !configOnly)

describe.each(sayable.map((setting) => [setting.key, setting] as const))('%s', (key, setting) => {
  it('is what the flag says, else the environment, else the config file, else the default', async () => {
    const { flag, flagged, opposite, unsaid } = other(setting)
    const told = <T>(value: T) => (key === 'redactKey' ? '(a secret)' : value)
    const byDefault = {
      value: setting.default,
      where: withDefault(key) ? 'default' : expect.stringMatching(/^chosen by/),
    }
    expect(await shown(setting, [], {})).toEqual(byDefault)
    const whereFlag = `--${/--([\w-]+)/.exec(setting.flags)?.[1]}`
    if (!setting.variableOnly)
      expect(await shown(setting, flag, {})).toEqual({ value: told(flagged), where: whereFlag })
    if (opposite) expect(await shown(setting, opposite, {})).toEqual({ value: unsaid, where: whereFlag })
    if (setting.flagOnly) {
      const { value } = await shown(setting, [], { [variableOf(key)]: 'x' })
      expect(value).toMatch(/^ctxwin: unknown environment variable/)
      return
    }
    const env = { [variableOf(key)]: 'x' }
    expect(await shown(setting, [], env)).toEqual({ value: told('x'), where: variableOf(key) })
    configure(JSON.stringify({ [key]: 'y' }))
    expect(await shown(setting, [], {})).toEqual({ value: told('y'), where: `${key} in ctxwin.config.json` })
    expect(await shown(setting, [], env)).toEqual({ value: told('x'), where: variableOf(key) })
    if (!setting.variableOnly)
      expect(await shown(setting, flag, env)).toEqual({ value: told(flagged), where: whereFlag })
  })

  it.skipIf(setting.flagOnly)('of a wrong type is one line that names key and file', async () => {
    const wrong = ['{}', '{"a":{"b":[]}}', '[{}]', '[[1]]', '1e999', '""', 'true', 'null']
    // Null is a valid value of optional settings, and so are limits without any limit.
    const fine = [
      ...(setting.default === null && key !== 'assert' ? ['null'] : []),
      ...(typeof setting.default === 'boolean' ? ['true'] : []),
      ...(key === 'assert' ? ['{}'] : []),
    ]
    const command = key === 'assert' ? 'check' : key === 'countCache' ? 'history' : undefined
    const line = commands.find((one) => one.name === command || (one.settings as readonly string[]).includes(key))
    for (const value of wrong.filter((word) => !fine.includes(word))) {
      configure(`{"${key}":${value}}`)
      const name = command ?? (line?.name as string)
      const limit = name === 'check' && key !== 'assert' ? ['--assert', 'maxCuts=9'] : []
      const remote = key === 'countCache' ? ['--request', '--count', 'remote', '--model', 'gpt-5'] : []
      const { code, stderr } = await runCli(
        [...wordsOf(name), 'a.jsonl', ...limit, ...remote, '--config', 'ctxwin.config.json'],
        {
          cwd,
        },
      )
      expect({ value, code, stderr }).toMatchObject({ value, code: 2 })
      expect(stderr, value).toMatch(new RegExp(`^ctxwin: .*\\b${key}.* in ctxwin\\.config\\.json.*\\n$`))
      expect(stderr).not.toContain('[object')
    }
  })
})

describe('a config file', () => {
  const complaint = async (argv: readonly string[] = []) => {
    const { code, stderr } = await runCli(['simulate', 'a.jsonl', ...argv], { cwd })
    return `${code} ${stderr}`
  }

  it('that is no JSON is named with the line', async () => {
    configure('{\n  "budget": "50k",\n  // why\n}')
    expect(await complaint()).toBe(
      '2 ctxwin: ctxwin.config.json:3: it is not JSON from here on (comments and commas at the end of a list need .jsonc)\n',
    )
  })

  it.each([
    ['ctxwin.config.json', '{\n"budget": "50k",\n"budget": "1m"\n}', '3: "budget"'],
    ['ctxwin.config.json', '{\n"check": { "maxCuts": 1,\n"max\\u0043uts": 9 } }', '3: "check.maxCuts"'],
    ['ctxwin.config.jsonc', '{\n// "budget": "1k",\n"budget": "50k", /* \n */ "budget": "1m",\n}', '4: "budget"'],
    [
      'package.json',
      '{\n"name": "a", "name": "b",\n"ctxwin": { "budget": "50k",\n"budget": "1m" } }',
      '4: "ctxwin.budget"',
    ],
    ['package.json', '{"ctxwin": { "budget": "50k" },\n"ctxwin": {} }', '2: "ctxwin"'],
  ])('in which a key stands twice is refused, since the first would not count: %s %#', async (name, text, words) => {
    configure(text, name)
    const said = `ctxwin: ${name}:${words} stands here a second time: remove one of them\n`
    expect(await complaint()).toBe(`2 ${said}`)
    const checked = await runCli(['check', 'a.jsonl', '--assert', 'maxCuts=9'], { cwd })
    expect([checked.code, checked.stderr]).toEqual([2, said])
  })

  it('may have comments, and commas at the end of a list, if it is called .jsonc', async () => {
    const lines = ['// budget', '{', '  "budget": ["1k", /* "2k", */ "3k", ],', '  "inputs": "a//b/*,]*/\\",}",', '}']
    configure(lines.join('\n'), 'ctxwin.config.jsonc')
    const { stdout } = await runCli(['simulate', '--print-config'], { cwd })
    expect(stdout).toMatch(/^budget +\["1k","3k"\] +\(budget in ctxwin\.config\.jsonc\)$/m)
    expect(stdout).toContain(JSON.stringify(['a//b/*,]*/",}']))
    configure('{\n/* of two\nlines */ "budget": 1 2\n}', 'ctxwin.config.jsonc')
    expect(await complaint()).toBe('2 ctxwin: ctxwin.config.jsonc:3: it is not JSON from here on\n')
    // However often it has what is not closed, it does not take long.
    for (const part of ['"\\', '/*', ',\n']) {
      configure(part.repeat(300_000), 'ctxwin.config.jsonc')
      expect(await complaint()).toContain('it is not JSON')
    }
  })

  it('that cannot be run is named with the line, and what is wrong there', async () => {
    configure('export default {\n  budget: 1,\n  policy "ikigai",\n}', 'ctxwin.config.mjs')
    const named = ['--config', 'ctxwin.config.mjs']
    expect(await complaint(named)).toMatch(/^2 ctxwin: ctxwin\.config\.mjs: cannot be loaded: line 3: .+\n$/)
    expect(await complaint(named)).not.toContain('require')
  })

  it('that throws is named with the line', async () => {
    configure('\nnull.x\nexport default {}', 'ctxwin.config.mjs')
    expect(await complaint(['--config', 'ctxwin.config.mjs'])).toMatch(
      /^2 ctxwin: ctxwin\.config\.mjs: cannot be loaded: line 2: Cannot read properties of null.*\n$/,
    )
  })

  it('that holds a function is named', async () => {
    configure('export default { budget: () => 1 }', 'function.mjs')
    expect(await complaint(['--config', 'function.mjs'])).toBe(
      '2 ctxwin: function.mjs: it must hold data alone: no setting is a function\n',
    )
  })

  it('that is not there is named', async () => {
    for (const name of ['none.json', 'none.mjs']) {
      expect(await complaint(['--config', name])).toBe(`2 ctxwin: cannot read ${name}: there is no such file\n`)
    }
    expect(await complaint(['--policy', './none.js'])).toBe('2 ctxwin: cannot read ./none.js: there is no such file\n')
  })

  it('is no package.json that is broken or speaks of other things', async () => {
    for (const text of ['{"name":"ctxwin",', 'null', '[]', '""', '', '{"name":"x"}']) {
      configure(text, 'package.json')
      expect(await complaint(), text).toBe('0 ')
    }
    configure('{\n"ctxwin": {"budget": 1},,}', 'package.json')
    expect(await complaint()).toMatch(/^2 ctxwin: package\.json:2: it is not JSON/)
    configure('{"ctxwin": false}', 'package.json')
    expect(await complaint()).toBe('2 ctxwin: package.json: it must hold an object\n')
  })

  it('names the place of a policy, a step and a price that are wrong', async () => {
    configure('{"policy":"ikgai"}')
    expect(await complaint()).toBe(
      '2 ctxwin: policy in ctxwin.config.json: unknown policy "ikgai". Did you mean "ikigai"?\n',
    )
    configure('{"policy":"mine","policies":{"mine":[{"dropOldest":5}]}}')
    expect(await complaint()).toBe(
      '2 ctxwin: policies.mine in ctxwin.config.json: policy mine: dropOldest: 5 is not an object of params\n',
    )
    configure('{"models":[{"id":"x","price":{}}]}', 'package.json')
    expect(await complaint(['--config', 'a.jsonl'])).toMatch(/^2 ctxwin: unknown setting in a\.jsonl/)
    expect(await complaint(['--prices', 'package.json', '--config', 'none.json'])).toContain('none.json')
    rmSync(join(cwd, 'ctxwin.config.json'))
    expect(await complaint(['--prices', 'package.json'])).toBe(
      '2 ctxwin: package.json: models "x".price.input: "nothing" is not a number, 0 or more\n',
    )
  })
})

describe('--no-config', () => {
  const budgetFor = async (argv: readonly string[], env = {}) => {
    const { code, stdout, stderr } = await runCli([...argv, '--print-config'], { cwd, env })
    return `${code} ${stderr}${/^budget .*$/m.exec(stdout)?.[0] ?? ''}`
  }
  const byDefault = '0 budget        "own"  (default)'

  it('looks for no config file, before the command and behind it, and a variable does the same', async () => {
    configure('{ "budget": 7, ')
    expect(await budgetFor(['simulate', '--no-config'])).toBe(byDefault)
    expect(await budgetFor(['--no-config', 'simulate'])).toBe(byDefault)
    for (const word of ['1', 'true']) expect(await budgetFor(['simulate'], { CTXWIN_NO_CONFIG: word })).toBe(byDefault)
    configure('{ "budget": 7 }')
    for (const word of ['', '0', 'false']) {
      expect(await budgetFor(['simulate'], { CTXWIN_NO_CONFIG: word })).toContain('7  (budget in ctxwin.config.json)')
    }
    expect(await budgetFor(['simulate'], { CTXWIN_NO_CONFIG: 'yes' })).toBe(
      '2 ctxwin: CTXWIN_NO_CONFIG: "yes" is not true or false\n',
    )
  })

  it('cannot be said with --config, which wins over the variable', async () => {
    configure('{ "budget": 7 }', 'values.json')
    for (const argv of [
      ['simulate', '--no-config', '--config', 'values.json'],
      ['--config', 'values.json', 'simulate', '--no-config'],
    ]) {
      expect(await budgetFor(argv)).toBe('2 ctxwin: --config and --no-config contradict each other: give one of them\n')
    }
    const env = { CTXWIN_NO_CONFIG: '1' }
    expect(await budgetFor(['simulate', '--config', 'values.json'], env)).toContain('7  (budget in values.json)')
  })
})

describe('a word that names nothing', () => {
  it.each([
    ['output', ['simulate', 'a.jsonl'], 'unknown output "xlm"'],
    ['output', ['history', 'a.jsonl'], 'unknown output "xlm"'],
    ['format', ['simulate', 'a.jsonl'], 'unknown format "xlm"'],
    ['format', ['history', '--request', 'a.jsonl'], 'unknown format "xlm"'],
    ['reporter', ['check', 'a.jsonl', '--assert', 'maxCuts=1'], 'unknown reporter "xlm"'],
    ['prices', ['list', 'models'], 'cannot read xlm: there is no such file'],
  ])('is told with its place: %s', async (key, argv, what) => {
    const env = { [variableOf(key)]: 'xlm' }
    expect((await runCli(argv, { cwd, env })).stderr).toContain(`ctxwin: ${variableOf(key)}: ${what}`)
    configure(JSON.stringify({ [key]: 'xlm' }))
    expect((await runCli(argv, { cwd })).stderr).toContain(`ctxwin: ${key} in ctxwin.config.json: ${what}`)
    const flag = settings.find((setting) => setting.key === key)?.flags.match(/--\w+/)?.[0] as string
    expect((await runCli([...argv, flag, 'xlm'], { cwd })).stderr).toContain(`ctxwin: ${what}`)
  })

  it('is told with its place where a command has no such form', async () => {
    const env = { CTXWIN_OUTPUT: 'csv' }
    expect((await runCli(['history', 'a.jsonl'], { cwd, env })).stderr).toContain('CTXWIN_OUTPUT: "csv" is not one of')
  })
})

it('a price file that breaks off is told with its line', async () => {
  configure('{\n"models": [\n', 'package.json')
  const { code, stderr } = await runCli(['list', 'models', '--prices', 'package.json'], { cwd })
  expect([code, stderr]).toEqual([
    2,
    'ctxwin: package.json: line 3: it is not JSON from here on. A price file looks like { "models": [ … ] }\n',
  ])
})

describe('baseline', () => {
  const printed = async (env: Record<string, string> = {}, ...flags: string[]) => {
    const { stdout } = await runCli(['simulate', 'a.jsonl', '--print-config', ...flags], { cwd, env })
    return stdout.split('\n').filter((line) => line.startsWith('baseline'))
  }

  it.each([
    ['false', '  (baseline in ctxwin.config.json)'],
    ['"old.json"', '  (baseline in ctxwin.config.json)'],
  ])('%s in a config file is the file of check, as it was', async (value, origin) => {
    configure(`{ "baseline": ${value} }`)
    expect(await printed()).toEqual(['baseline      "today"  (default)', `baselineFile  ${value}${origin}`])
  })

  it('is a policy anywhere else, and the file has a key of its own', async () => {
    configure('{ "baseline": "unpruned", "baselineFile": "mine.json" }')
    expect(await printed()).toEqual([
      'baseline      "unpruned"  (baseline in ctxwin.config.json)',
      'baselineFile  "mine.json"  (baselineFile in ctxwin.config.json)',
    ])
    expect(await printed({ CTXWIN_BASELINE: 'keep-all' }, '--baseline', 'forge')).toEqual([
      'baseline      "forge"  (--baseline)',
      'baselineFile  "mine.json"  (baselineFile in ctxwin.config.json)',
    ])
    expect(await printed({ CTXWIN_BASELINE: 'keep-all', CTXWIN_BASELINE_FILE: 'false' })).toEqual([
      'baseline      "keep-all"  (CTXWIN_BASELINE)',
      'baselineFile  "false"  (CTXWIN_BASELINE_FILE)',
    ])
  })

  it('that is no policy is one line', async () => {
    const { code, stderr } = await runCli(['simulate', 'a.jsonl', '--baseline', 'forgery'], { cwd })
    expect([code, stderr]).toEqual([2, 'ctxwin: unknown policy "forgery". Did you mean "forge"?\n'])
  })
})

describe('CTXWIN_BASELINE=false', () => {
  const env = { CTXWIN_BASELINE: 'false' }
  const check = (...flags: string[]) => runCli(['check', 'a.jsonl', '--assert', 'maxCuts=1', ...flags], { cwd, env })

  it('is no baseline, as in a config file', async () => {
    expect(await check()).toMatchObject({ code: 0, stderr: '' })
    expect((await check('--baseline', 'false')).stderr).toContain('cannot read false: there is no such file')
  })

  it('leaves nothing to update', async () => {
    const { code, stderr } = await check('--update-baseline')
    expect([code, stderr]).toEqual([
      2,
      'ctxwin: CTXWIN_BASELINE is false, but --update-baseline needs a file: name it with --baseline\n',
    ])
  })
})
