/**
 * The house: which room may import which. Type-only imports count. docs/architecture.md draws the same table. The command
 * line uses the public door where it can, so that the API cannot rot, and `app/door` for the rest; `reports/safe` and
 * `base/wasm` need nothing, and an error in a command line is told without loading the whole library.
 */
const rooms = {
  base: [],
  model: ['base'],
  models: ['model', 'base'],
  providers: ['model', 'base'],
  readers: ['model', 'base'],
  estimators: ['providers', 'model', 'base'],
  policies: ['models', 'model', 'base'],
  measures: ['models', 'model', 'base'],
  references: ['measures', 'model', 'base'],
  reports: ['models', 'model', 'base'],
  check: ['reports', 'model', 'base'],
  tables: ['reports', 'model', 'base'],
  simulator: [
    'policies/policy',
    'policies/as-recorded',
    'estimators/estimator',
    'measures',
    'references',
    'providers',
    'models',
    'model',
    'base',
  ],
  app: [
    'simulator',
    'readers',
    'reports',
    'check',
    'tables',
    'policies',
    'estimators',
    'providers',
    'references',
    'measures',
    'models',
    'model',
    'base',
  ],
  cli: ['index', 'app/door', 'reports/safe', 'base/wasm'],
}

const room = (name) => `^src/${name}([./]|$)`

const roomRules = Object.entries(rooms).map(([name, allowed]) => ({
  name: `${name}-imports-only-${allowed.join('-') || 'nothing'}`.replaceAll('/', '.'),
  severity: 'error',
  from: { path: room(name) },
  to: { path: '^src/', pathNot: [name, ...allowed].map(room) },
}))

const packageRule = (name, packages, spots) => ({
  name,
  severity: 'error',
  from: { path: '^src/', pathNot: spots },
  to: { path: packages },
})

module.exports = {
  forbidden: [
    { name: 'no-circles-because-they-hide-who-depends-on-whom', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'nobody-imports-the-cli-so-that-the-library-stands-alone',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cli/' },
      to: { path: '^src/cli/' },
    },
    ...roomRules,
    {
      name: 'tools-and-the-oracles-in-them-are-no-part-of-what-ships',
      severity: 'error',
      from: { path: '^(src|bin)/' },
      to: { path: '^tools/' },
    },
    packageRule('commander-stands-in-the-cli', 'node_modules/commander', '^src/cli/'),
    packageRule('tables-are-drawn-in-reports', 'node_modules/(chalk|cli-table3)', '^src/(cli/|reports/)'),
    packageRule('csv-is-written-in-reports-csv', 'node_modules/csv-stringify', '^src/reports/'),
    packageRule('ndjson-is-written-in-reports-ndjson', 'node_modules/ndjson', '^src/reports/ndjson'),
    packageRule('patterns-are-matched-in-the-cli', 'node_modules/picomatch', '^src/cli/'),
    packageRule(
      'files-are-touched-in-cli-and-readers-lines-only',
      '^(node:)?fs(/promises)?$',
      '^src/(cli/|readers/lines/|estimators/bpe/|base/wasm)',
    ),
    { name: 'nothing-unknown-is-imported', severity: 'error', from: { path: '^src/' }, to: { couldNotResolve: true } },
    packageRule('markdown-is-read-for-the-terminal', 'node_modules/marked', '^src/cli/render-topic'),
    {
      // The command line ships as a bundle, with all of its packages in it.
      name: 'what-ships-needs-no-dev-dependency',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cli/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}
