/** The public API: its names and types, and that docs/library.md shows each name in an example that runs. docs/live.md the same. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as library from '../src/app/index.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const readme = readFileSync(`${root}README.md`, 'utf8')

/** Each example program with the output printed below it. */
const examples = ['library', 'live'].flatMap((page) => {
  const text = readFileSync(`${root}docs/${page}.md`, 'utf8')
  return [...text.matchAll(/```js\n([\s\S]*?)```\n(?:\n```text\n([\s\S]*?)```)?/g)].map(
    ([, program = '', output = ''], index) => ({ file: `${page}-${index + 1}.mjs`, program, output }),
  )
})

const typesOf = {
  target: ts.ScriptTarget.ES2023,
  // Programs of Node: what browsers have in addition takes longer to read than all else together.
  lib: ['lib.es2023.d.ts'],
  types: [],
  module: ts.ModuleKind.NodeNext,
  strict: true,
  skipLibCheck: true,
  noEmit: true,
}

describe('the public door', () => {
  it('has these names, and a change of them is a decision', () => {
    expect(Object.keys(library).sort()).toEqual([
      'CtxwinError',
      'RunningSession',
      'advise',
      'choice',
      'choose',
      'compose',
      'defineEstimator',
      'definePolicy',
      'defineReader',
      'defineReport',
      'estimators',
      'findExchanges',
      'flag',
      'historyOf',
      'integer',
      'lookupModel',
      'number',
      'openFile',
      'parsePrices',
      'policies',
      'readTraces',
      'readers',
      'recommendSources',
      'reports',
      'requestBodyAt',
      'simulate',
      'simulateSources',
      'text',
      'textOf',
    ])
  })

  it('says so when it lacks a type', () => {
    const place = mkdtempSync(join(tmpdir(), 'ctxwin-door-'))
    writeFileSync(
      join(place, 'inner.d.ts'),
      `export interface Own { deep: Deep }
      interface Deep { n: number }
      export declare class Box<T> { #private; constructor(one: T) }
      export declare const box: Box<Own>
      export declare function pick(of: import('./inner.ts').Other): void
      export type Other = 'a' | 'b'`,
    )
    writeFileSync(join(place, 'index.d.ts'), "export { box, pick, type Own } from './inner.ts'")
    const file = join(place, 'index.d.ts')
    const program = ts.createProgram([file], { ...typesOf, lib: [], noLib: true, allowImportingTsExtensions: true })
    expect(unexported(program, file)).toEqual(['Box (by box)', 'Deep (by Own)', 'Other (by pick)'])
    rmSync(place, { recursive: true })
  })
})

describe('docs/library.md', () => {
  let place = ''
  let printed: string[] = []

  beforeAll(() => {
    place = mkdtempSync(join(tmpdir(), 'ctxwin-library-'))
    mkdirSync(join(place, 'node_modules'))
    for (const [name, target] of [
      ['ctxwin', root],
      ['@types', `${root}node_modules/@types`],
    ] as const) {
      symlinkSync(target, join(place, 'node_modules', name), 'dir')
    }
    for (const { file, program } of examples) writeFileSync(join(place, file), program)
    // One process for all examples: starting it takes longer than any of them.
    const files = JSON.stringify(examples.map(({ file }) => join(place, file)))
    const all = `for (const file of ${files}) { await import(file); console.log('-- end --') }`
    const run = ['--input-type=module', '--eval', all]
    printed = execFileSync(process.execPath, run, { cwd: root, encoding: 'utf8' }).split('-- end --\n')
  })
  afterAll(() => rmSync(place, { recursive: true }))

  it('prints what stands below each example', () => {
    expect(printed.slice(0, -1)).toEqual(examples.map(({ output }) => output))
  })

  it('has the right types, as has the README, and no signature names a type that is not given', () => {
    const program = /```js\n([\s\S]*?)```/.exec(readme)?.[1] as string
    writeFileSync(join(place, 'readme.mjs'), program)
    const files = [...examples.map(({ file }) => file), 'readme.mjs'].map((file) => join(place, file))
    const checked = ts.createProgram(files, { ...typesOf, allowJs: true, checkJs: true, types: ['node'] })
    expect(ts.getPreEmitDiagnostics(checked).map(told)).toEqual([])
    expect(unexported(checked, `${root}dist/app/index.d.ts`)).toEqual([])
    // Who runs a policy in an agent has both doors to take types from.
    expect(unexported(checked, `${root}dist/live/index.d.ts`, `${root}dist/app/index.d.ts`)).toEqual([])
  })

  it('shows each public name, in examples of at most 25 lines', () => {
    const shown = new Set(examples.flatMap(({ program }) => program.match(/\w+/g) ?? []))
    expect(Object.keys(library).filter((name) => !shown.has(name))).toEqual([])
    for (const { file, program } of examples) expect(program.split('\n').length - 1, file).toBeLessThanOrEqual(25)
  })
})

function told({ file, start = 0, messageText }: ts.Diagnostic): string {
  const line = file ? file.getLineAndCharacterOfPosition(start).line + 1 : 0
  return `${file?.fileName.split('/').at(-1)}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
}

/** Types of the project that exported declarations use but that are not exported themselves. */
function unexported(program: ts.Program, door: string, ...others: readonly string[]): string[] {
  const checker = program.getTypeChecker()
  const resolved = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  const givenBy = (file: string): readonly ts.Symbol[] => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.SourceFile) as ts.Symbol
    return checker.getExportsOfModule(module).map(resolved)
  }
  const own = givenBy(door)
  const given = new Set([...own, ...others.flatMap(givenBy)])
  const missing = new Set<string>()
  const types = ts.SymbolFlags.Interface | ts.SymbolFlags.Class | ts.SymbolFlags.TypeAlias

  const walk = (node: ts.Node, by: ts.Symbol): void => {
    const name = ts.isTypeReferenceNode(node)
      ? node.typeName
      : ts.isExpressionWithTypeArguments(node)
        ? node.expression
        : ts.isImportTypeNode(node)
          ? node.qualifier
          : undefined
    const named = name && checker.getSymbolAtLocation(name)
    const type = named && resolved(named)
    const file = type?.declarations?.[0]?.getSourceFile().fileName ?? '/node_modules/'
    if (type && type.flags & types && !file.includes('/node_modules/') && !given.has(type)) {
      missing.add(`${type.name} (by ${by.name})`)
    }
    ts.forEachChild(node, (child) => walk(child, by))
  }
  for (const symbol of own) for (const declaration of symbol.declarations ?? []) walk(declaration, symbol)
  return [...missing].sort()
}
