import { readdirSync, readFileSync } from 'node:fs'
import { cruise } from 'dependency-cruiser'
import { describe, expect, it } from 'vitest'
import { checkReporters } from '../src/check/reporters/index.ts'
import { estimators } from '../src/estimators/index.ts'
import { policies } from '../src/policies/index.ts'
import { readers } from '../src/readers/index.ts'
import { reports } from '../src/reports/index.ts'

const root = new URL('..', import.meta.url).pathname

/** Files of a room that are plugs: those with a default export. */
function plugsOf(room: string): string[] {
  return readdirSync(`${root}src/${room}`, { withFileTypes: true })
    .filter(
      (file) => file.isFile() && readFileSync(`${root}src/${room}/${file.name}`, 'utf8').includes('export default'),
    )
    .map((file) => file.name.replace(/\.ts$/, ''))
    .sort()
}

describe('the house', () => {
  it.each([
    ['readers', readers],
    ['estimators', estimators],
    ['policies', policies],
    ['reports', reports],
    ['check/reporters', checkReporters],
  ] as const)('%s: file name = registry key', (room, registry) => {
    expect(plugsOf(room).filter((name) => !registry.has(name))).toEqual([])
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

  it('has a top level a stranger understands', () => {
    const allowed = [
      'LICENSE',
      'README.md',
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
      'vitest.config.ts',
    ]
    expect(readdirSync(root).filter((name) => !name.startsWith('.') && !allowed.includes(name))).toEqual([])
  })
})
