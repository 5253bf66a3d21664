import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cruise } from 'dependency-cruiser'
import { describe, expect, it } from 'vitest'
import { checkReporters } from '../src/check/reporters/index.ts'
import { estimators } from '../src/estimators/index.ts'
import { policies } from '../src/policies/index.ts'
import { readers } from '../src/readers/index.ts'
import { reports } from '../src/reports/index.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The import rules of a room: its own files first, then those it may import. */
interface Rule {
  readonly name: string
  readonly from: { readonly path: string }
  readonly to: { readonly pathNot: readonly string[] }
}

/** The plugins of a room: files with a default export, at any depth. */
function defaultsOf(room: string): string[] {
  return readdirSync(`${root}src/${room}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('upstream/'))
    .filter((file) => sourceOf(room, file).includes('export default'))
}

function sourceOf(room: string, file: string): string {
  return readFileSync(`${root}src/${room}/${file}`, 'utf8')
}

/** What a module takes from others to use it or to export it, by name and file; `type ` stands in front of a type alone. */
function takenBy(file: string): string[] {
  const lists = readFileSync(file, 'utf8').matchAll(/^(?:import|export) (type )?\{([^{}]*)\} from '(\.[^']+)'/gm)
  return [...lists].flatMap(([, type = '', list = '', module = '']) => {
    const names = list.split(',').map((name) => `${type}${name.trim()} of ${resolve(dirname(file), module)}`)
    return names.filter((name) => !/^(type )? of/.test(name))
  })
}

function foldersIn(path: string): string[] {
  const entries = readdirSync(`${root}${path}`, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

describe('the house', () => {
  it.each([
    ['readers/formats', readers],
    ['estimators', estimators],
    ['policies', policies],
    ['reports', reports],
    ['check/reporters', checkReporters],
  ] as const)('%s: file name = registry key', (room, registry) => {
    const names = defaultsOf(room).map((file) => basename(file, '.ts'))
    expect(names.sort()).toEqual([...registry.names].sort())
  })

  it.each([
    ['readers/formats', ['defineReader', 'recordReader', 'documentReader']],
    ['estimators', ['defineEstimator']],
    ['policies', ['definePolicy']],
  ])('%s: each is made by %s, whose type a stranger copies', (room, makers) => {
    const isMade = (source: string) => makers.some((maker) => source.includes(`export default ${maker}`))
    expect(defaultsOf(room).filter((file) => !isMade(sourceOf(room, file)))).toEqual([])
  })

  it('is drawn in docs/architecture.md as the rules have it', async () => {
    const { default: config } = (await import(`${root}.dependency-cruiser.cjs`)) as { default: { forbidden: Rule[] } }
    const rules = config.forbidden.filter(({ name }) => name.includes('-imports-only-'))
    const rooms = Object.fromEntries(
      rules.map(({ from, to }) => {
        const [room, ...allowed] = to.pathNot.map((path) => path.replace(/^\^src\/(.*)\(\[.*$/, '$1'))
        expect(from.path).toBe(to.pathNot[0])
        return [room, allowed]
      }),
    )
    const [, drawn = ''] = readFileSync(`${root}docs/architecture.md`, 'utf8').split('\n## Rooms\n')
    const points = drawn
      .split(/\n- |\n\n(?!- )/)
      .map((point) => point.replaceAll(/\s+/g, ' '))
      .flatMap((point) => [...point.matchAll(/^`src\/([\w/-]+)\/`: .* Imports: (.*)\.$/g)])
    const list = points.map(([, room, imports]) => [room, imports === 'nothing' ? [] : imports?.split(' · ')])
    expect(Object.fromEntries(list)).toEqual(rooms)
    const [folders, cliFolders] = [foldersIn('src'), foldersIn('src/cli').map((name) => `cli/${name}`)]
    expect([...folders.filter((name) => name !== 'cli'), ...cliFolders].sort()).toEqual(Object.keys(rooms).sort())
    const files = ['src', 'src/cli'].flatMap((folder) => readdirSync(`${root}${folder}`))
    expect(files.filter((name) => name.endsWith('.ts'))).toEqual([])
  })

  it('is walked through in docs/architecture.md by files and names that there are', () => {
    const [, walk = ''] = readFileSync(`${root}docs/architecture.md`, 'utf8').split(
      /^## (?:The walk of one request|Decisions)$/m,
    )
    const steps = [...walk.matchAll(/`(src\/[\w/-]+\.ts)` `(\w+)`/g)]
    const lost = steps.filter(([, file = '', name]) => {
      const declared = new RegExp(`^export (?:async )?(?:function\\*?|class|const) ${name}\\b|^ {2}\\*?${name}\\(`, 'm')
      return !existsSync(`${root}${file}`) || !declared.test(readFileSync(`${root}${file}`, 'utf8'))
    })
    expect(lost.map(([step]) => step)).toEqual([])
    expect(steps.length).toBeGreaterThan(20)
    // From the first room to the last, and each that a request of a file goes through.
    const walked = new Set(steps.map(([, file = '']) => file.split('/')[1]))
    expect([...walked].sort()).toEqual([
      ...['app', 'cli', 'measures', 'model', 'policies', 'readers', 'references', 'reports', 'simulator'],
    ])
  })

  it('keeps to its import table, and the table can fail', async () => {
    const { default: config } = (await import(`${root}.dependency-cruiser.cjs`)) as {
      default: { forbidden: never[]; options: object }
    }
    const { output } = await cruise([`${root}src`], {
      ruleSet: { forbidden: config.forbidden },
      validate: true,
      ...config.options,
      baseDir: root,
    })
    if (typeof output === 'string') throw new Error(output)
    expect(output.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`)).toEqual([])
    expect(output.summary.totalCruised).toBeGreaterThan(40)
  })

  it('takes the public names from the public door in the command line, which would notice if one were missing', () => {
    const open = new Set(takenBy(`${root}src/app/index.ts`))
    const files = readdirSync(`${root}src/cli`, { recursive: true, encoding: 'utf8' })
    const around = files
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => takenBy(`${root}src/cli/${name}`).map((taken) => ({ name, taken })))
      .filter(({ taken }) => open.has(taken) || open.has(taken.replace(/^type /, '')))
    expect(around).toEqual([])
    expect(open.size).toBeGreaterThan(30)
  })

  it('exports what the programs in bench and tools take from what is built of it', async () => {
    const files = ['bench', 'tools'].flatMap((folder) =>
      readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.mjs') && !name.includes('node_modules/'))
        .map((name) => `${folder}/${name}`),
    )
    const taken = files.flatMap((file) => {
      const text = readFileSync(`${root}${file}`, 'utf8')
      const imports = text.matchAll(/\{([^{}]*)\} (?:from|= await import\() ?'[./]*\/dist\/([^']+)\.js'/g)
      return [...imports].map(([, list = '', module]) => {
        const names = list.split(',').map((name) => name.split(/ as |:/)[0]?.trim() ?? '')
        return { file, module, names: names.filter(Boolean) }
      })
    })
    const missing: string[] = []
    for (const { file, module, names } of taken) {
      const there = (await import(`${root}src/${module}.ts`)) as object
      missing.push(...names.filter((name) => !(name in there)).map((name) => `${file}: ${name} of ${module}`))
    }
    expect(missing).toEqual([])
    expect(taken.length).toBeGreaterThan(30)
  })

  it('has a top level a stranger understands', () => {
    const allowed = [
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'Dockerfile',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'action.yml',
      'bench',
      'bin',
      'biome.json',
      'dist',
      'docs',
      'fixtures',
      'node_modules',
      'package-lock.json',
      'package.json',
      'src',
      'test',
      'tools',
      'tsconfig.build.json',
      'tsconfig.json',
      'tsconfig.page.json',
      'vitest.config.ts',
      'wasm',
    ]
    expect(readdirSync(root).filter((name) => !name.startsWith('.') && !allowed.includes(name))).toEqual([])
  })
})
