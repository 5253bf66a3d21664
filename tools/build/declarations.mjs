/**
 * Writes dist/.npmignore: declarations that no type of the package's doors needs stay out of it. They are two of three, and are
 * made all the same, as tsc builds what has changed and nothing else.
 *
 *     node tools/build/declarations.mjs
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../../', import.meta.url))
const dist = `${root}dist`
const { exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
const doors = Object.values(exports).flatMap(({ types }) => (types ? [`${root}${types}`] : []))
const program = ts.createProgram(doors, {
  skipLibCheck: true,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
})
const needed = program
  .getSourceFiles()
  .map(({ fileName }) => relative(dist, fileName).split(sep).join('/'))
  .filter((name) => !name.startsWith('..'))
writeFileSync(`${dist}/.npmignore`, ['*.d.ts', ...needed.sort().map((name) => `!/${name}`), ''].join('\n'))
