/**
 * Makes one file of the command line, dist/main.cjs, and the one that starts it, dist/start.cjs. Four hundred modules, each
 * found, read and compiled by itself, took half a second before the first line of a transcript was read. Calls that an agent
 * waits for have a bundle of their own, dist/hook.cjs (src/cli/start/hook.ts): V8 takes the longer the more is in one.
 *
 *     node tools/build/bundle.mjs
 *
 * These are CommonJS, because only a script, and no module, can be given the code that V8 compiled earlier (src/cache/code.ts).
 * Names stay as they are: the stack of a bug is read by people. Licenses of the packages in it are put beside it. The library,
 * dist/library.js, is a module, and imports its packages. What runs in an agent (src/live/) is left as one module each, in
 * dist/live/modules/: whoever bundles an agent takes the policy that it runs, and leaves the others out.
 *
 * All are left as they are where nothing that goes into them is younger.
 */
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { crc32 } from 'node:zlib'
import { rolldown } from 'rolldown'
import { parseAst } from 'rolldown/parseAst'
import { changedAt, latestChange } from './age.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const source = join(root, 'src')

const inputs = [
  'src',
  'dist/wasm',
  'tools/build/bundle.mjs',
  'package.json',
  // npm writes this list of packages anew with each that it changes.
  'node_modules/.package-lock.json',
].map((name) => join(root, name))
/** What is written last, with the time at which the bundling began: a source may be saved in the middle of it. */
const last = join(root, 'dist/licenses.txt')
const bundles = ['start', 'worker', 'main', 'hook']
const built = [...bundles.map((name) => `${name}.cjs`), 'library.js', 'live/modules/live/index.js', 'build.txt'].every(
  (name) => changedAt(join(root, 'dist', name)) > 0,
)
if (built && changedAt(last) > latestChange(inputs)) process.exit(0)
const began = new Date()

/** A module of ours finds other files of the package from where it stood: `import.meta.url` is that place below dist/. */
const places = {
  name: 'places',
  transform: {
    filter: { id: /\.ts$/, code: 'import.meta.url' },
    handler: (code, id) => {
      const place = JSON.stringify(relative(source, id).replaceAll('\\', '/'))
      return code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`)
    },
  },
}

/**
 * What the command line imports through the public door (src/app/index.ts) it takes from where it stands: a module is run when a
 * command needs it, and behind the door stand all.
 */
const door = {
  name: 'door',
  transform: {
    filter: { id: /[\\/]src[\\/]cli[\\/].*\.ts$/, code: /\/index\.ts'/ },
    handler: (code, id) => {
      const imports = parseAst(code, { lang: 'ts' }).body.filter(({ type }) => type === 'ImportDeclaration')
      return imports.reduceRight((whole, { start, end, source, specifiers, importKind }) => {
        if (importKind === 'type' || join(dirname(id), source.value) !== join(root, 'src/app/index.ts')) return whole
        const direct = specifiers
          .filter(({ importKind }) => importKind !== 'type')
          .map(({ imported, local }) => {
            const { file, name } = behind.get(imported.name)
            return `import { ${name} as ${local.name} } from ${JSON.stringify(file)}`
          })
        return `${whole.slice(0, start)}${direct.join(';')}${whole.slice(end)}`
      }, code)
    },
  },
}

/** Where each name of the public door comes from. */
const behind = new Map(
  parseAst(readFileSync(join(source, 'app/index.ts'), 'utf8'), { lang: 'ts' }).body.flatMap((node) =>
    (node.source ? node.specifiers : []).map(({ local, exported }) => {
      return [exported.name, { file: join(source, 'app', node.source.value), name: local.name }]
    }),
  ),
)

/** Commander can start other programs as subcommands; we have none, and loading what starts them takes 10 ms. */
const commander = {
  name: 'commander',
  transform: {
    filter: { id: /[\\/]commander[\\/]lib[\\/]command\.js$/ },
    handler: (code) => {
      const [loaded, used] = [/^const childProcess = require\('node:child_process'\);$/m, /\bchildProcess\./g]
      if (!loaded.test(code)) throw new Error('commander loads node:child_process in another way than it did')
      return code.replace(loaded, '').replaceAll(used, "require('node:child_process').")
    },
  },
}

/** Chalk asks what the terminal can, which takes 7 ms, and is told by us whether to write colours. */
const chalk = {
  name: 'chalk',
  resolveId: { filter: { id: /^#supports-color$/ }, handler: () => '\0no-terminal' },
  load: { filter: { id: /no-terminal$/ }, handler: () => 'export default { stdout: false, stderr: false }' },
}

/** Modules of Node are loaded where they are used, not where they are imported: 40 ms for those that few runs need. */
const builtins = {
  name: 'builtins',
  renderChunk: (code) => {
    const loaded = /^let (node_\w+) = require\(("node:[\w/]+")\);\n(?:\1 = __toESM\(\1, 1\);\n)?/gm
    const names = [...code.matchAll(loaded)].map(([, name]) => name)
    const used = new RegExp(`(new )?\\b(${names.join('|')})\\b(?:\\.default\\b)?(\\.\\w+)?`, 'g')
    return code
      .replace(loaded, '')
      .replace(used, (_, made, name, member = '') => (made ? `new (${name}()${member})` : `${name}()${member}`))
      .replace(
        /^/,
        [...code.matchAll(loaded)].map(([, name, module]) => `const ${name} = () => require(${module});\n`).join(''),
      )
  },
}

/** What is outside of the bundle is imported by who runs it: `importModule` of src/cache/code.ts. */
const imports = {
  name: 'imports',
  renderChunk(code, { name }) {
    if (name === 'start' || name === 'worker') return null
    const found = []
    const search = (node) => {
      if (node?.type === 'ImportExpression') found.push(node.start)
      if (typeof node === 'object' && node !== null) for (const child of Object.values(node)) search(child)
    }
    search(parseAst(code))
    return found.reduceRight(
      (whole, at) => `${whole.slice(0, at)}importModule${whole.slice(at + 'import'.length)}`,
      code,
    )
  },
}

/** The registries for calls of hooks: what is not in them is left to the whole program. */
const few = {
  name: 'few',
  load: {
    filter: { id: /[\\/]src[\\/](?:estimators|policies|readers)[\\/]index\.ts$/ },
    handler: (id) => {
      const room = relative(source, dirname(id))
      const names = Object.keys(fewOf[room])
      const imports = names.map((name) => `import ${name} from './${fewOf[room][name]}.ts'\n`)
      return `import { Registry } from '../base/registry.ts'\n${imports.join('')}export const ${room} = new Registry('', [${names}])\nexport const policyGroups = []`
    },
  },
}

const fewOf = {
  estimators: { auto: 'auto' },
  policies: { ikigai: 'systems/ikigai', asRecorded: 'as-recorded', claudeCodeAuto: 'agents/claude-code-auto' },
  readers: { claudeCode: 'formats/claude-code/claude-code' },
}

/** A script in ASCII is read without a decoder. What is not ASCII stands in strings and patterns. */
const ascii = {
  name: 'ascii',
  // Not `renderChunk`: behind it comments are left out, by printing all code anew.
  generateBundle: (_, files) => {
    for (const file of Object.values(files)) {
      if (/\\[^\0-\x7f]|String\.raw/.test(file.code)) throw new Error('what follows a backslash cannot be escaped')
      file.code = file.code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    }
  },
}

/** Directories of the packages that are in the bundles, and of the one that src/estimators/bpe/ is made of. */
const packages = new Set([join(root, 'node_modules/tiktoken')])

/** A fifth of a script is white space. Names stay, so that the stack of a bug says where it is. */
const unspaced = { mangle: false, compress: false, codegen: { removeWhitespace: true } }

for (const name of bundles) {
  const bundle = await rolldown({
    input: join(source, 'cli/start', `${name}.ts`),
    platform: 'node',
    external: ['jiti', 'node-sqlite3-wasm'],
    experimental: { attachDebugInfo: 'none' },
    plugins: [...(name === 'hook' ? [few] : []), door, places, commander, chalk, builtins, imports, ascii],
  })
  const { output } = await bundle.write({
    file: join(root, 'dist', `${name}.cjs`),
    format: 'cjs',
    codeSplitting: false,
    comments: false,
    minify: unspaced,
  })
  for (const [id] of output.flatMap(({ modules }) => Object.entries(modules))) {
    const [directory] = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id) ?? []
    if (directory !== undefined) packages.add(directory)
  }
}

const library = await rolldown({
  input: join(source, 'app/index.ts'),
  platform: 'node',
  external: (id) => /^[@\w]/.test(id) && !isAbsolute(id),
  experimental: { attachDebugInfo: 'none' },
  plugins: [places],
})
await library.write({ file: join(root, 'dist/library.js'), format: 'es', codeSplitting: false, comments: false })

/** What runs in an agent has no WebAssembly to load: the same sums in JavaScript. */
const plain = {
  name: 'plain',
  load: {
    filter: { id: /[\\/]src[\\/]estimators[\\/]pricer\.ts$/ },
    handler: () => "export { price } from './automaton.ts'",
  },
}

/** An agent reads no files: what the records of a format must hold (readers/wire/shape.ts) is asked of none of its messages. */
const shapes = Object.keys(await import(pathToFileURL(join(root, 'dist/readers/wire/shape.js')).href))

const live = await rolldown({
  input: ['index', 'core', 'forms', 'policies'].map((name) => join(source, 'live', `${name}.ts`)),
  platform: 'neutral',
  treeshake: { manualPureFunctions: [...shapes, 'contentShape', 'setOf', 'wordsIn'] },
  experimental: { attachDebugInfo: 'none' },
  plugins: [plain],
})
const { output: modules } = await live.write({
  dir: join(root, 'dist/live/modules'),
  cleanDir: true,
  format: 'es',
  preserveModules: true,
  preserveModulesRoot: source,
  entryFileNames: '[name].js',
  minify: unspaced,
})
const outside = modules.flatMap(({ imports = [] }) => imports).filter((name) => !/\.js$/.test(name))
if (outside.length > 0) throw new Error(`what runs in an agent imports ${outside.join(', ')}`)

const parts = [
  'main.cjs',
  'hook.cjs',
  ...readdirSync(join(root, 'dist/wasm'))
    .sort()
    .map((name) => `wasm/${name}`),
]
const sum = parts.reduce((sum, part) => crc32(readFileSync(join(root, 'dist', part)), sum), 0)
writeFileSync(join(root, 'dist/build.txt'), `${sum}\n`)

const licenses = [...packages].map((directory) => {
  const { name, version, license, author } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
  const file = readdirSync(directory).find((file) => /^licen[cs]e/i.test(file))
  // Some name it and have no text of it.
  const text =
    file === undefined
      ? [license, author?.name ?? author].filter(Boolean).join(', ')
      : readFileSync(join(directory, file), 'utf8').trim()
  return `${name} ${version}\n\n${text}\n`
})
writeFileSync(last, licenses.sort().join(`\n${'-'.repeat(80)}\n\n`))
utimesSync(last, began, began)
