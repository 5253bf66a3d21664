/**
 * Generates the schemas in docs/schema/ from the columns and the settings: `npm run renew` writes them.
 * test/reports/declared.test.ts fails when they are stale. Only what is in neither is written here.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const count = { type: 'integer', minimum: 0 }
const number = { type: 'number' }

/** The JSON schema for values of each unit. */
const units = {
  text: { type: 'string' },
  count,
  tokens: count,
  ordinal: count,
  percent: number,
  change: number,
  price: number,
  money: { type: 'number', minimum: 0 },
  flag: { type: 'boolean' },
  record: { type: 'object' },
}

function least({ minimum: _, ...type }, value) {
  return value === Number.NEGATIVE_INFINITY ? type : { ...type, minimum: value }
}

function typeOf({ unit, items, values, least: limit, nullable, whole }, members) {
  if (unit === 'list') {
    const one = members ? objectOf(members) : values ? { enum: values } : units[items]
    return { type: 'array', items: one }
  }
  if (values) return { enum: nullable ? [...values, null] : values }
  const type = limit === undefined ? units[unit] : least(units[unit], limit)
  const named = whole === false ? { ...type, type: 'number' } : type
  return nullable ? { ...named, type: [named.type, 'null'] } : named
}

const described = (meaning, type) => (meaning === undefined ? type : { description: meaning, ...type })

function blockOf({ block, members }) {
  const type = objectOf(members)
  return described(block?.meaning, block?.nullable ? { oneOf: [{ type: 'null' }, type] } : type)
}

/** @param members the columns of an object, as `membersOf` nests them */
function objectOf(members) {
  const properties = members.map((member) => [
    member.name,
    member.column ? described(member.column.meaning, typeOf(member.column, member.items)) : blockOf(member),
  ])
  const isRequired = ({ column, block }) => !(column ?? block)?.optional
  return {
    type: 'object',
    required: members.filter(isRequired).map(({ name }) => name),
    additionalProperties: false,
    properties: Object.fromEntries(properties),
  }
}

const reference = (name) => ({ $ref: `#/$defs/${name}` })
const listOf = (name) => ({ type: 'array', items: reference(name) })

const diagnostic = {
  description: 'Something to know about the input. Never a word of the transcript itself.',
  type: 'object',
  required: ['file', 'line', 'code', 'message'],
  additionalProperties: false,
  properties: {
    file: { type: 'string' },
    line: { description: '0 when it concerns the file as a whole', ...count },
    code: { type: 'string' },
    message: { type: 'string' },
    count: { description: 'where it tells of several lines: how many, of which line is the first', ...count },
  },
}

function schema(command, description, properties, optional, defs) {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `${command}.schema.json`,
    title: `ctxwin ${command} --output json`,
    description,
    type: 'object',
    required: ['schemaVersion', ...Object.keys(properties).filter((name) => !optional.includes(name)), 'diagnostics'],
    additionalProperties: false,
    properties: { schemaVersion: { const: 1 }, ...properties, diagnostics: listOf('diagnostic') },
    $defs: { ...defs, diagnostic },
  }
}

/** @param members those of a run and of a total */
export function simulateSchema({ run, total }) {
  return schema(
    'simulate',
    "Indices of requests, exchanges and messages are 0-based; a line is the 1-based line of the file (in a file that is one JSON document, the element's index + 1). Percentages have two decimals.",
    { runs: listOf('run'), totals: listOf('total') },
    [],
    {
      run: { description: 'One transcript under one policy, estimator and budget, replayed.', ...objectOf(run) },
      total: { description: 'All transcripts under one policy, estimator and budget.', ...objectOf(total) },
    },
  )
}

/** @param members those of the total and, by name, of a row of each list */
export function spendSchema({ total, lists }) {
  const defs = Object.entries(lists).map(([name, members]) => [name, objectOf(members)])
  return schema(
    'spend',
    'What was spent, from recorded usage. Lists have the dearest first, days the newest, cells the earliest. `results` and `misses` have as many as `--top` says. Indices of requests are 0-based; a line is the 1-based line of the file.',
    { total: reference('total'), ...Object.fromEntries(defs.map(([name]) => [name, listOf(name)])) },
    [],
    { total: objectOf(total), ...Object.fromEntries(defs) },
  )
}

/** @param members those of the total, of a session, and of a threshold that moved */
export function sessionsSchema({ total, session, move }) {
  return schema(
    'sessions',
    'The sessions that were recorded, in the order of `--sort`, as many as `--top` says; `total` is of all of them. Keys that `spend` has, too, mean the same.',
    {
      total: reference('total'),
      sessions: listOf('session'),
      moved: { description: 'Agents that compact elsewhere from some day on, where that is clear.', ...listOf('move') },
    },
    [],
    { total: objectOf(total), session: objectOf(session), move: objectOf(move) },
  )
}

/** @param members those of a program */
export function changedSchema({ program }) {
  const data = schema(
    'changed',
    'What was promised before a setting changed, and what came since. docs/recommend.md has what each figure means.',
    {
      changed: { description: 'from when on it is another, as ISO 8601 has it', type: 'string' },
      transcripts: count,
      straddling: { description: 'sessions that began before and went on behind: they are on neither side', ...count },
      undated: { description: 'sessions without a time', ...count },
      programs: { description: 'the one with most money first', ...listOf('program') },
    },
    [],
    { program: objectOf(program) },
  )
  return { ...data, title: 'ctxwin sessions --changed DAY --output json' }
}

const billed = {
  usd: number,
  input: number,
  output: number,
  beside: number,
  requests: count,
  sideCalls: count,
  estimatedOutputs: count,
  cacheForeseen: count,
  cacheAtStart: count,
  cacheAfterPause: count,
  cacheAtPrompt: count,
  cacheUnexplained: count,
  transcripts: count,
}
const bill = {
  description: 'The bills of the transcripts that have one, in US dollars.',
  oneOf: [
    { type: 'null' },
    { type: 'object', required: Object.keys(billed), additionalProperties: false, properties: billed },
  ],
}

const tolerance = {
  description: 'the most that may be lost: percent of all later uses, or so much more than the baseline loses',
  type: 'object',
  required: ['over', 'percent'],
  additionalProperties: false,
  properties: { over: { enum: ['nothing', 'baseline'] }, percent: { type: 'number', minimum: 0 } },
}

const closed = (properties, optional = []) => ({
  type: 'object',
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
  properties,
})

/** The definitions that a list of decisions needs. @param members those of a candidate */
function decisionDefs({ candidate, losses, outcomes, keepReasons, risks, scopes, intervalBases }) {
  return {
    decision: closed({
      scope: {
        description:
          'program: of the transcripts of one program. own: of those that no program of others recorded. all: of all, as the policies were named.',
        enum: scopes,
      },
      program: { description: 'null for the other scopes', type: ['string', 'null'] },
      outcome: {
        description:
          'set: something saves, and is worth what it loses. keep: nothing is. too-few-sessions, too-few-uses: there are too few to tell. nothing-to-set: the program has no setting that is known.',
        enum: outcomes,
      },
      keepReason: {
        description:
          'none-fit: whatever else could be set makes requests that fail. nothing-cheaper. loses-more: what would save loses more than that is worth. null for the other outcomes',
        enum: [...keepReasons, null],
      },
      sessions: { description: 'that it goes by, with their sub-agents', ...count },
      allSessions: { description: 'how many there are', ...count },
      transcripts: count,
      requests: count,
      unit: { enum: ['usd', 'input-token-equivalents'] },
      bill,
      spent: {
        description: 'what all sessions were billed, in US dollars; null where none was',
        type: ['number', 'null'],
      },
      month: {
        description:
          'what the program was billed in the last thirty days of its sessions, in US dollars; null where nothing was',
        oneOf: [{ type: 'null' }, closed({ days: count, usd: number, input: number })],
      },
      costed: { description: 'how many transcripts are in the amounts', ...count },
      risk: { enum: risks },
      tolerance: { description: 'a limit in place of a price of what is lost', oneOf: [{ type: 'null' }, tolerance] },
      baseline: reference('candidate'),
      present: { description: 'what the present setting would lose, replayed as a candidate', ...objectOf(losses) },
      presentPolicy: {
        description:
          'the program’s own policy, acting where the transcripts show that it did; null where they show nothing',
        type: ['string', 'null'],
      },
      keptPercent: {
        description: 'of later uses of content that a summary stands for, how many it is taken to keep',
        ...number,
      },
      errorPercent: {
        description: 'how far off the model is where nobody has sent a window yet: of the money of a session',
        ...number,
      },
      newer: {
        description:
          'transcripts by newer versions of the program than its reader’s rules were learned up to; null for none',
        oneOf: [
          { type: 'null' },
          closed({ transcripts: count, newest: { type: 'string' }, learned: { type: 'string' } }),
        ],
      },
      withoutUsage: {
        description:
          'how far the money may be off, in percent of it in nine of ten cases, of transcripts without recorded usage; null where all have some',
        oneOf: [
          { type: 'null' },
          closed({ transcripts: count, lowPercent: number, highPercent: number, basis: listOf('basis') }),
        ],
      },
      rises: {
        description:
          'what surely failed more often in large windows of the recorded sessions, and from which size on; null where nothing did',
        oneOf: [{ type: 'null' }, closed({ endpoint: { enum: ['failed', 'edits'] }, from: count })],
      },
      best: {
        description: 'the candidate that is set, or comes nearest; null if none is fit',
        oneOf: [{ type: 'null' }, reference('candidate')],
      },
      recommended: {
        description: 'the same; null unless the outcome is set',
        oneOf: [{ type: 'null' }, reference('candidate')],
      },
      otherwise: {
        description: 'what all sessions together would say, where that is something else',
        oneOf: [
          { type: 'null' },
          { enum: ['keep'] },
          {
            ...closed({
              setting: { type: 'string' },
              budget: { type: ['integer', 'null'] },
              budgetAsked: { type: 'string' },
            }),
            required: ['setting', 'budget'],
          },
        ],
      },
      candidates: { description: 'the cheapest first', ...listOf('candidate') },
    }),
    basis: {
      description: 'Whose sessions say how far it may be off: as in `predictionInterval` of `simulate`.',
      ...closed({
        of: { enum: intervalBases },
        transcripts: { description: 'that rest on it', ...count },
        fewest: { description: 'sessions that tell of one of them', ...count },
        most: count,
      }),
    },
    candidate: {
      description: 'A policy with its params at one budget, over all transcripts of the decision.',
      ...objectOf(candidate),
    },
  }
}

const decisions = {
  description: 'What to set, by program, the one with most money first; the same in every command.',
  ...listOf('decision'),
}

export function recommendSchema(parts) {
  return schema(
    'recommend',
    'What to set: by program the policy and budget that are worth most, and all that were tried. docs/recommend.md explains the words.',
    { decisions },
    [],
    decisionDefs(parts),
  )
}

/** @param members those of a row, of what holds a chosen row, and of the sessions that it was found on */
export function tuneSchema({ row, heldOut, found, outcomes }) {
  const tuned = (description) => ({
    description,
    oneOf: [
      { type: 'null' },
      {
        ...objectOf([]),
        required: ['row', 'heldOut'],
        properties: { row: reference('row'), heldOut: reference('heldOut') },
      },
    ],
  })
  const { properties } = objectOf(found)
  return schema(
    'tune',
    'A policy that is fitted to sessions, and what it has to beat. docs/tune.md explains the words.',
    {
      outcome: { enum: outcomes },
      tolerance: {
        description: 'so many percent of later uses in all, or on top of those that are lost today (`baseline`)',
        type: 'object',
        required: ['over', 'percent'],
        additionalProperties: false,
        properties: { over: { enum: ['nothing', 'baseline'] }, percent: number },
      },
      ...properties,
      tuned: tuned('the cheapest learned policy within the tolerance; null where there is none'),
      others: tuned('the cheapest of the others'),
      rows: { description: 'the cheapest of each kind within the tolerance, and the front; by cost', ...listOf('row') },
    },
    [],
    { row: objectOf(row), heldOut: objectOf(heldOut) },
  )
}

/** @param members those of a stratum, and the names that there are of each thing */
export function probeSchema({ stratum, reasons, preambles, losses, ages, arms, apis, by }) {
  const text = { type: 'string' }
  const flag = { type: 'boolean' }
  const known = orNull(number)
  const share = { type: ['number', 'null'], minimum: 0, maximum: 1 }
  const counts = (description, names) => exactly(description, Object.fromEntries(names.map((name) => [name, count])))
  const listed = (description, items) => ({ description, type: 'array', items })
  const both = (items) => ({ type: 'array', items, minItems: 2, maxItems: 2 })
  const own = objectOf(stratum)
  for (const key of ['across', 'floor', 'difference', 'low', 'high'])
    own.properties[key] = {
      ...own.properties[key],
      ...known,
      description: `${own.properties[key].description} (as a share of 1)`,
    }
  own.properties.by = { ...own.properties.by, enum: by }
  const unprobed = counts('requests that cannot be asked about, by reason', reasons)
  const dollars = exactly('US dollars; null where the model has no known price', {
    cold: { description: 'if no prompt cache helps', ...known },
    cached: { description: 'if it serves what it can', ...known },
  })
  const request = {
    request: { description: 'from 0', ...count },
    loss: { description: 'what the recorded response used of what had left', enum: losses },
    age: { description: 'requests since the policy last cut', enum: ages },
  }
  const tokens = (of) => ({ description: `tokens of the request with the ${of} window, estimated`, ...number })
  const shared = { description: 'of these, what the request before it of the session begins with, too', ...number }
  const tier = (description) =>
    exactly(description, { part: count, whole: count, share: { description: 'null of nothing', ...share } })
  const overlap = (description) => exactly(description, { mean: share, whole: count })
  return schema(
    'probe',
    'Whether a model would have done the same with the window of a policy. docs/probe.md explains the words.',
    {
      dryRun: { description: 'nothing was asked', ...flag },
      about: exactly('what is asked, and of what it was drawn', {
        policy: text,
        params: { type: 'object' },
        budget: { type: ['number', 'string'] },
        model: { description: 'the one that is asked', ...text },
        api: { enum: apis },
        seed: count,
        transcripts: count,
        requests: count,
        differing: { description: 'requests whose windows differ', ...count },
        unprobed,
        planned: { description: 'how many requests are to be asked about', ...count },
        among: { description: 'of so many sessions', ...count },
      }),
      preambles: counts('sessions by what is known of system prompt and tools', preambles),
      probes: { description: 'requests that were asked about in all four arms', ...count },
      failed: exactly('requests that were asked about and brought no usable answer in one of the arms', {
        requests: count,
        reasons: listed(
          'the most common first',
          exactly('Requests that failed for one reason.', { reason: text, requests: count }),
        ),
      }),
      dollars: {
        description: 'what was billed for the answers of this plan, in US dollars; null where nobody knows the price',
        ...known,
      },
      unused: { description: 'of these, for requests that are not answered in all four arms', ...known },
      lost: exactly('tries that went out and brought no answer', {
        tries: count,
        dollars: { description: 'the most that they may have cost, beside `dollars`', ...known },
      }),
      used: counts('tokens of all answers and summaries, and how many these are', [
        'input',
        'cacheRead',
        'cacheWrite',
        'output',
        'answers',
        'summaries',
      ]),
      estimated: dollars,
      sessions: listed('what is to be asked of each session; empty once something was', reference('session')),
      power: {
        description: 'what as many probes can be expected to tell; null where there are too few sessions',
        oneOf: [
          { type: 'null' },
          exactly('Of the expected interval of 95 %.', {
            halfWidth: { description: 'as a share of 1', ...number },
            floor: { description: 'how often asking twice gives the same', ...number },
            correlation: { description: 'of the differences within a session', ...number },
            from: {
              description: 'the answers in the journal that tell both; null where they are assumed',
              oneOf: [{ type: 'null' }, counts('How many tell it.', ['probes', 'sessions'])],
            },
          }),
        ],
      },
      strata: { description: 'all probes, then those of one kind', ...listOf('stratum') },
      across: reference('agreement'),
      floor: reference('agreement'),
      drift: reference('agreement'),
      cutOff: { description: 'answers that had to end at their greatest length', ...count },
      differences: listed(
        'where the policy’s answers differ more than those of the full window among each other',
        reference('difference'),
      ),
      counted: listed(
        'sizes as they were estimated, against what the API counts',
        exactly('Of all bodies of one window.', {
          window: { enum: ['full', 'policy'] },
          bodies: count,
          estimated: count,
          counted: count,
          meanAbsolutePercent: {
            description: 'the mean distance of each body, in percent of what is counted',
            ...number,
          },
        }),
      ),
    },
    [],
    {
      stratum: own,
      session: exactly('A session of which something is to be asked.', {
        file: text,
        conversation: orNull(text),
        requests: count,
        differing: count,
        unprobed,
        preamble: { enum: preambles },
        probes: listed(
          'in the order in which they are asked about',
          exactly('A request.', {
            ...request,
            tool: { description: 'what the recorded response called first', ...orNull(text) },
            fullTokens: tokens('full'),
            fullShared: shared,
            policyTokens: tokens('policy’s'),
            policyShared: shared,
            outputTokens: { description: 'of the recorded response', ...known },
            weight: { description: 'for how many requests of the session it stands', ...number },
          }),
        ),
        summaries: listed(
          'those that the model writes first',
          exactly('Tokens, estimated.', { readTokens: number, writtenTokens: number }),
        ),
        estimated: dollars,
      }),
      agreement: exactly('How many pairs of answers agree, tier by tier.', {
        same: tier('the headline'),
        tool: tier('the same tools'),
        target: tier('the same targets, where one has any'),
        edit: tier('the same edit, where one edits'),
        input: overlap('how much of the inputs of other calls is the same'),
        said: overlap('how much of what answers without a call name is the same'),
      }),
      action: exactly('What a model did next.', {
        calls: listed('in their order', exactly('A call.', { name: text, input: {} })),
        text,
      }),
      difference: exactly('A request where the policy’s window led elsewhere.', {
        file: text,
        line: count,
        ...request,
        left: { description: 'messages of the full window that are not as they were in the policy’s', ...count },
        used: listed(
          'those of them that the recorded response used',
          exactly('A message that had left.', { line: count, text: { description: 'its beginning', ...text } }),
        ),
        recorded: reference('action'),
        full: both(reference('action')),
        policy: both(reference('action')),
        arms: { description: 'what `full` and `policy` hold, in this order', const: arms },
      }),
    },
  )
}

/** What a setting may be, by the word that stands for its value in the help of its flag. */
const valueTypes = {
  tokens: { type: ['number', 'string'] },
  percent: { type: ['number', 'string'] },
  number: { type: 'integer', minimum: 0 },
}

/** Names of plugins are any words: some are a user's own, or have params. */
function typeOfSetting({ flags, words, list, default: value }) {
  const [, placeholder] = /<(\w+)>/.exec(flags) ?? []
  // What may be one of some words or a policy.
  const named = placeholder === 'what' ? { anyOf: [{ enum: words }, { type: 'string' }] } : { enum: words }
  const plain = valueTypes[placeholder] ?? { type: 'string' }
  const one = typeof value === 'boolean' ? { type: 'boolean' } : Array.isArray(words) ? named : plain
  const alternatives = [
    one,
    ...(list ? [{ type: 'array', items: one, minItems: 1 }] : []),
    ...(value === null ? [{ type: 'null' }] : []),
  ]
  return alternatives.length === 1 ? one : { anyOf: alternatives }
}

const tuple = (items) => ({
  type: 'array',
  minItems: items.length,
  maxItems: items.length,
  prefixItems: items,
  items: false,
})
const bound = { type: ['number', 'string'] }
const level = { enum: ['warn', 'error'] }
const aggregated = {
  type: 'object',
  additionalProperties: false,
  properties: { aggregate: { enum: ['each', 'max', 'median', 'sum'] } },
}

/**
 * The schema of a config file.
 * @param settings those of the command line
 * @param figures the figures of a check with their bounds: `maxPeakTokens`
 */
export function configSchema({ settings, figures }) {
  const configurable = settings.filter(({ flagOnly }) => !flagOnly)
  const properties = configurable.map((setting) => [
    setting.key,
    { description: setting.help, ...typeOfSetting(setting) },
  ])
  const limits = { description: 'Limits of ctxwin check.', ...reference('limits') }
  const glob = { type: 'string', minLength: 1 }
  const ofBaseline = Object.fromEntries(properties).baselineFile
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'config.schema.json',
    title: 'A config file of ctxwin',
    description:
      'ctxwin.config.json or .jsonc, or "ctxwin" in package.json. What is absent has its default: see ctxwin <command> --help.',
    type: 'object',
    additionalProperties: false,
    properties: {
      $schema: { type: 'string' },
      ...Object.fromEntries(properties),
      baselineFile: {
        description: `${ofBaseline.description}; false for none`,
        anyOf: [{ type: 'string' }, { const: false }],
      },
      assert: limits,
      overrides: {
        description: 'Other limits for some files: globs, from where the command runs. Later ones win.',
        type: 'array',
        items: {
          type: 'object',
          required: ['files', 'assert'],
          additionalProperties: false,
          properties: { files: { anyOf: [glob, { type: 'array', items: glob, minItems: 1 }] }, assert: limits },
        },
      },
      policies: {
        description: 'Policies of your own, each a list of primitives and their params.',
        type: 'object',
        additionalProperties: { type: 'array', items: { type: ['string', 'object'] } },
      },
    },
    $defs: {
      limits: {
        type: 'object',
        additionalProperties: false,
        properties: Object.fromEntries(figures.map((figure) => [figure, reference('limit')])),
      },
      limit: {
        description: "A limit, with its level and aggregate; 'off' removes that of an earlier section.",
        anyOf: [bound, tuple([level, bound]), tuple([level, bound, aggregated])],
      },
    },
  }
}

const time = { description: 'milliseconds since the epoch', type: 'number' }
const orNull = (type) => ({ ...type, type: [type.type, 'null'] })

function exactly(description, properties) {
  return { description, type: 'object', required: Object.keys(properties), additionalProperties: false, properties }
}

/** @param words endpoints and units, as the program has them */
export function qualitySchema({ endpoints, contrastUnits }) {
  const known = (description) => ({ description, type: ['number', 'null'] })
  const contrast = {
    sessions: { description: 'whose small and large windows can be compared', ...count },
    difference: known('how much more, in the unit; null where too little tells'),
    low: known('the lower end of its band'),
    high: known('the upper end'),
  }
  const band = exactly('Windows of one band of sizes, held against those of the first.', {
    from: { description: 'tokens of recorded input', ...count },
    to: { description: 'where the next band begins; null for the last', type: ['integer', 'null'], minimum: 0 },
    observations: count,
    level: known('in percent of the observations; of output the geometric mean in tokens'),
    ...contrast,
    fitted: known('of the curve that never falls, where one lies within the band'),
  })
  const endpoint = exactly('What is counted; endpoints are never added up.', {
    endpoint: { enum: endpoints },
    unit: { description: 'percentage points, or percent', enum: contrastUnits },
    observations: count,
    events: {
      description: 'of shares: how many of the observations; null for output',
      type: ['integer', 'null'],
      minimum: 0,
    },
    risesFrom: {
      description: 'the smallest size from which on the lower bound is above zero; null where it is nowhere',
      type: ['integer', 'null'],
      minimum: 0,
    },
    bands: { type: 'array', items: reference('band') },
    compactions: exactly('In front of recorded compactions against right behind them.', {
      compactions: count,
      ...contrast,
    }),
  })
  return schema(
    'quality',
    'From which size of the recorded window on an agent worked worse. docs/quality.md says what counts as one.',
    {
      transcripts: count,
      sessions: count,
      requests: count,
      withoutSize: { description: 'requests whose size nobody recorded', ...count },
      seed: { description: 'of the draws of the bootstrap', ...count },
      endpoints: { type: 'array', items: reference('endpoint') },
    },
    [],
    { endpoint, band },
  )
}

/** @param words verdicts, reasons, states and units, each as the program has them */
export function adviseSchema({ verdicts, reasons, states, units }) {
  const cost = exactly('What a cut costs and saves, in the unit of the advice.', {
    next: {
      description: 'what the next request costs more, a summary included; less where it is below 0',
      ...number,
    },
    summary: { description: 'of that, what a model reads and writes for a summary', ...number },
    rereads: { description: 'what it costs besides that the agent reads again what has left', ...number },
    saves: { description: 'what each request behind the next one costs less', ...number },
    breakEvenRequests: {
      description: 'requests behind the next one until the cut has paid for itself; null = never',
      ...orNull(count),
    },
  })
  const cut = exactly('What the policy would take out next.', {
    due: {
      description: 'before the next request by itself; else it is what the policy would take if it were asked now',
      type: 'boolean',
    },
    roomTokens: { description: 'until the budget', ...count },
    roomRequests: { description: 'the same, at the pace of the usual exchange', ...orNull(count) },
    tokensBefore: count,
    tokensAfter: count,
    messages: { description: 'that would leave or be shortened', ...count },
    takenTokens: count,
    unusedTokens: { description: 'of these, in messages that no response has used since', ...count },
    usedLatelyTokens: { description: 'of these, in messages that one of the last ten responses used', ...count },
    rereads: exactly('What is read again behind the cut, as recorded sessions have it.', {
      tokens: number,
      requests: { description: 'more that this takes', ...number },
    }),
    now: reference('cost'),
    atExchangeEnd: {
      description: 'when the usual exchange has been added',
      oneOf: [{ type: 'null' }, reference('cost')],
    },
    cold: { description: 'once the cache has gone cold', ...reference('cost') },
  })
  const properties = {
    verdict: { enum: verdicts },
    reason: { enum: reasons },
    now: time,
    transcript: { type: 'string' },
    conversation: { type: ['string', 'null'] },
    model: { type: ['string', 'null'] },
    policy: { type: 'string' },
    budget: count,
    requests: count,
    left: exactly('How many requests are still to come, as recorded sessions have it.', {
      made: { description: 'since the session began, or was last cut', ...count },
      expected: { description: 'behind the next one, until the next cut or the end; a mean', ...number },
      stretches: { description: 'between two cuts, from which it was learned', ...count },
      program: { description: 'whose stretches these are; null = of all programs', type: ['string', 'null'] },
    }),
    unit: { enum: units },
    context: exactly('The request that would go out next.', {
      tokens: count,
      lowTokens: orNull(count),
      highTokens: orNull(count),
      recordedTokens: { description: 'what the provider counted for the last request', ...orNull(count) },
      window: { description: 'of the model', ...orNull(count) },
    }),
    cache: exactly('The prompt cache.', {
      state: { enum: states },
      coldFrom: orNull(time),
      life: { description: 'seconds that an entry lives after its last use', ...number },
      servedTokens: { description: 'of the next request, by a warm cache', ...count },
    }),
    cut: { oneOf: [{ type: 'null' }, reference('cut')] },
  }
  const { description, ...root } = exactly('Advice on a running session: docs/advise.md has what each figure means.', {
    schemaVersion: { const: 1 },
    ...properties,
  })
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'advise.schema.json',
    title: 'ctxwin advise --output json',
    description,
    ...root,
    $defs: { cut, cost },
  }
}

/** A schema as the text of its file. */
export const print = (data) => `${JSON.stringify(data, null, 2)}\n`

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { membersOf } = await import('../../dist/reports/column.js')
  const { runColumns } = await import('../../dist/reports/columns/run.js')
  const { totalColumns } = await import('../../dist/reports/columns/total.js')
  const { spendingLists } = await import('../../dist/reports/spending.js')
  const { spendingTotalColumns } = await import('../../dist/reports/columns/spending.js')
  const write = (name, data) =>
    writeFileSync(fileURLToPath(new URL(`../../docs/schema/${name}.schema.json`, import.meta.url)), print(data))
  write('simulate', simulateSchema({ run: membersOf(runColumns), total: membersOf(totalColumns) }))
  const { lossesFields, rowColumns } = await import('../../dist/reports/recommendation.js')
  const { keepReasons, outcomes, risks, scopes } = await import('../../dist/model/recommendation.js')
  const { intervalBases } = await import('../../dist/model/run.js')
  const decided = {
    candidate: membersOf(rowColumns),
    losses: membersOf(lossesFields),
    ...{ outcomes, keepReasons, risks, scopes, intervalBases },
  }
  const lists = Object.fromEntries(Object.entries(spendingLists).map(([name, columns]) => [name, membersOf(columns)]))
  const { settings } = await import('../../dist/cli/inputs/settings.js')
  const { assertables } = await import('../../dist/check/metrics.js')
  write('config', configSchema({ settings, figures: ['orphanedPairs', ...assertables.keys()] }))
  write('recommend', recommendSchema(decided))
  const { foundFields, heldOutFields, tunedColumns } = await import('../../dist/reports/tuning.js')
  const { tuningOutcomes } = await import('../../dist/model/tuning.js')
  const [row, heldOut, found] = [tunedColumns, heldOutFields, foundFields].map((fields) => membersOf(fields))
  write('tune', tuneSchema({ row, heldOut, found, outcomes: tuningOutcomes }))
  const { probeColumns } = await import('../../dist/reports/probe.js')
  const { strataBy } = await import('../../dist/model/probe-result.js')
  const { ageKinds, armNames, lossKinds, preambleKinds, unprobedReasons } = await import('../../dist/model/probed.js')
  const { probedApis } = await import('../../dist/cli/inputs/commands.js')
  const probed = {
    ...{ reasons: unprobedReasons, preambles: preambleKinds, losses: lossKinds, ages: ageKinds },
    ...{ arms: armNames, apis: probedApis, by: strataBy },
  }
  write('probe', probeSchema({ stratum: membersOf(probeColumns), ...probed }))
  write('advise', adviseSchema(await import('../../dist/model/advice.js')))
  write('quality', qualitySchema(await import('../../dist/model/quality.js')))
  write('spend', spendSchema({ total: membersOf(spendingTotalColumns), lists }))
  const { listedColumns } = await import('../../dist/reports/session-list.js')
  const total = membersOf(spendingTotalColumns)
  const { changedColumns, moveColumns } = await import('../../dist/reports/changed.js')
  write('sessions', sessionsSchema({ total, session: membersOf(listedColumns), move: membersOf(moveColumns) }))
  write('changed', changedSchema({ program: membersOf(changedColumns) }))
}
