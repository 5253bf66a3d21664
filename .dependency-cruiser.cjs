/** The house: which room may import which. Each rule's name says why. Type-only imports count. */
const rooms = {
  model: [],
  exchanges: ['model'],
  recorded: ['model'],
  remote: ['model', 'errors'],
  registry: ['errors'],
  params: ['errors', 'registry'],
  prices: ['model', 'errors'],
  providers: ['model'],
  estimators: ['model', 'recorded', 'providers', 'registry', 'params', 'errors'],
  policies: ['model', 'registry', 'params', 'errors'],
  readers: ['model', 'registry', 'params', 'errors'],
  measures: ['model', 'exchanges', 'recorded'],
  reports: ['model', 'registry'],
  config: ['check'],
  check: ['model', 'registry', 'params', 'errors', 'reports'],
  simulator: [
    'model',
    'errors',
    'exchanges',
    'recorded',
    'providers',
    'policies/policy',
    'estimators/estimator',
    'measures',
  ],
  'own-policy': ['model', 'errors', 'params', 'policies/policy', 'measures', 'simulator'],
  compare: ['model', 'measures', 'policies/policy', 'simulator', 'check/labels'],
  calibrate: ['model', 'recorded', 'estimators', 'simulator'],
  analyse: ['model', 'errors', 'readers', 'simulator'],
  errors: [],
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
      // reports/safe needs nothing: an error in a command line is told without loading the whole library.
      name: 'cli-eats-only-the-front-door-so-that-the-api-cannot-rot',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: { path: '^src/', pathNot: ['^src/cli/', '^src/index\\.ts$', '^src/reports/safe\\.ts$'] },
    },
    {
      name: 'nobody-imports-the-cli-so-that-the-library-stands-alone',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cli/' },
      to: { path: '^src/cli/' },
    },
    ...roomRules,
    packageRule('commander-stands-in-the-cli', 'node_modules/commander', '^src/cli/'),
    packageRule('tables-are-drawn-in-reports', 'node_modules/(chalk|cli-table3)', '^src/(cli/|reports/)'),
    packageRule('csv-is-written-in-reports-csv', 'node_modules/csv-stringify', '^src/reports/'),
    packageRule('ndjson-is-written-in-reports-ndjson', 'node_modules/ndjson', '^src/reports/ndjson'),
    packageRule('patterns-are-matched-in-the-cli', 'node_modules/picomatch', '^src/cli/'),
    packageRule(
      'files-are-touched-in-cli-and-readers-lines-only',
      '^(node:)?fs(/promises)?$',
      '^src/(cli/|readers/lines/|estimators/bpe/)',
    ),
    { name: 'nothing-unknown-is-imported', severity: 'error', from: { path: '^src/' }, to: { couldNotResolve: true } },
    {
      name: 'what-ships-needs-no-dev-dependency',
      severity: 'error',
      from: { path: '^src/' },
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
