/**
 * The house: which room may import which. Type-only imports count. docs/architecture.md draws the same table. The command
 * line takes the public names from `app/index`, so that the API cannot rot, and all others from where they stand.
 */
const rooms = {
  base: [],
  model: ['base'],
  models: ['model', 'base'],
  providers: ['model', 'base'],
  clients: ['providers', 'model', 'base'],
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
  live: [
    'simulator/stepper',
    'simulator/window',
    'simulator/item',
    'simulator/contents',
    'simulator/sizes',
    'readers/trace-builder',
    'readers/reader',
    'readers/wire',
    'policies',
    'estimators',
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
  cache: [
    'app/files/trace-cache',
    'app/files/follow',
    'clients/count',
    'clients/journal',
    'estimators/bpe/tables',
    'readers/lines/source',
    'base',
  ],
  'cli/output': ['app/index', 'reports', 'base'],
  'cli/inputs': [
    'cli/output',
    'app',
    'cache',
    'check',
    'readers/databases',
    'readers/lines/archive',
    'readers/lines/source',
    'readers/own-reader',
    'readers/read',
    'models/lookup',
    'model',
    'base',
  ],
  'cli/commands': [
    'cli/inputs',
    'cli/output',
    'app',
    'cache',
    'clients/ask',
    'clients/asked',
    'clients/complete',
    'clients/count',
    'clients/journal',
    'clients/purse',
    'clients/registry',
    'clients/secrets',
    'check',
    'tables',
    'reports',
    'policies/index',
    'readers/databases',
    'models',
    'model',
    'base',
  ],
  'cli/start': ['cli/commands', 'cli/inputs', 'cli/output', 'app/index', 'cache', 'base'],
}

const room = (name) => `^src/${name}([./]|$)`

/** Why the rooms of the command line may import what they do, beyond the public names. */
const reasons = {
  'cli/output':
    'Whatever goes wrong is said through it, so it needs no setting and no input to be there. From reports it has how text is coloured and wrapped.',
  'cli/inputs':
    'What a word, a file or a setting means is the same for all commands, so it knows none of them. Its words name budgets and tolerances (model), models and limits of a check; its files are archives and transcripts, read or kept for a plan (readers, app, cache).',
  'cli/commands':
    'A command calls what does it (app; check and tables, which need no plan) and prints it by a report. It is given its world, so that a test or a thread can call it as the start of the program does. Those that count at a provider, or ask what is published, are the ones that may send anything.',
  'cli/start':
    'Only the first files of a process may do what is done once in one: flags of V8, compiled code from the cache, streams, the exit code. An error in a command line is told without loading the whole library.',
}

const roomRules = Object.entries(rooms).map(([name, allowed]) => ({
  name: `${name}-imports-only-${allowed.join('-') || 'nothing'}`.replaceAll('/', '.'),
  ...(name in reasons && { comment: reasons[name] }),
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
    packageRule('commander-stands-where-the-program-starts', 'node_modules/commander', '^src/cli/start/'),
    packageRule('tables-are-drawn-in-reports', 'node_modules/(chalk|cli-table3)', '^src/(cli/|reports/)'),
    {
      name: 'pages-have-nothing-of-the-terminal',
      severity: 'error',
      from: { path: '^src/reports/html/' },
      to: { path: 'node_modules/(chalk|cli-table3)', reachable: true },
    },
    packageRule('csv-is-written-in-reports-csv', 'node_modules/csv-stringify', '^src/reports/'),
    packageRule('ndjson-is-written-in-reports-ndjson', 'node_modules/ndjson', '^src/reports/ndjson'),
    packageRule('patterns-are-matched-in-the-cli', 'node_modules/picomatch', '^src/cli/(inputs|commands)/'),
    packageRule(
      'files-are-touched-in-cli-cache-and-readers-only',
      '^(node:)?fs(/promises)?$',
      '^src/(cli/|cache/|readers/(lines|databases)/|estimators/bpe/|base/(wasm|address-space|build|make-directory))',
    ),
    { name: 'nothing-unknown-is-imported', severity: 'error', from: { path: '^src/' }, to: { couldNotResolve: true } },
    packageRule('markdown-is-read-for-the-terminal', 'node_modules/marked', '^src/cli/output/render-topic'),
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
