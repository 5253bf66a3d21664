/** Judges what a command did: the laws that hold for every input, however broken. */
import { forged, parsed } from './mutate.mjs'

/** Figures that may be negative: a difference, or a place before the first. */
const signed =
  /^(saved|bias|fitted$|low$|high$|costSaved|headlineLostOver$|exchange$|seenExchange$|cutAfter$|worst|error|difference|lowPercent|highPercent|next$|rereads$|net$|extraPercent$|changePercent$|contentPercent$|namesPercent$)/
/** Keys that may be null. Anywhere else null means NaN or Infinity, which JSON writes as null. */
const optional = new Set([
  ...[
    'conversation',
    'model',
    'cutoff',
    'cutAfter',
    'recommended',
    'best',
    'keepReason',
    'tolerance',
    'month',
    'otherwise',
    'chancePercent',
    'presentPolicy',
    'newer',
    'knee',
    'costRecorded',
    'costBilled',
    'request',
    'title',
    'age',
    'target',
    'sourceLine',
    'kind',
  ],
  ...['session', 'project', 'first', 'last', 'time', 'largestPrompt'],
  ...['budget', 'turnOn', 'note', 'composition', 'program', 'low', 'high'],
  ...['tokensPerByte', 'metric', 'actual', 'limit', 'difference', 'command'],
  ...['spent', 'bill', 'foresight', 'predictionInterval', 'withoutUsage', 'thinkingLostTokens'],
  // Of what nothing could be tested on.
  ...['worstLine', 'worstPercent'],
  ...[
    'cwd',
    'day',
    'since',
    'until',
    'tool',
    'server',
    'usd',
    'pause',
    'cause',
    'missedUsd',
    'tokensBefore',
    'tokensAfter',
  ],
  ...['lowTokens', 'highTokens', 'window', 'recordedTokens', 'coldFrom', 'cut'],
  ...['roomRequests', 'breakEvenRequests', 'atExchangeEnd'],
  // Of compactions; the row of all else is of no transcript.
  ...['transcript', 'format', 'version', 'line', 'summaryUsd', 'rewrittenUsd'],
  ...['rereads', 'rereadsBefore', 'heldContent', 'heldNamed', 'heldCopied', 'mishaps', 'mishapsBefore'],
  // Of what came since a setting changed.
  ...['before', 'after', 'percent', 'told', 'setting'],
  // Of a policy that was looked for.
  ...['tuned', 'others', 'heldOut'],
  // Of what a program recorded as the cost of calls: the price that differs, where one alone does.
  'rate',
  // Of sub-agents: of some the call is not known, of others no transcript was read.
  ...['caller', 'callLine', 'joinedBy', 'workTokens', 'returnedTokens', 'contextTokens', 'behindRequests', 'inlineUsd'],
  // Of how well agents worked.
  ...['rises', 'risesFrom', 'events', 'level', 'fitted', 'from', 'to'],
])
/** Keys of objects whose figures may be anything: what a user gave, and differences. */
const unjudged = new Set(['params', 'limit', 'saved'])
const steering = /[\0-\x08\x0b-\x1f\x7f-\x9f]/
const senseless = /(^|[\s|,;:=(])-?(NaN|Infinity|undefined)(?=$|[\s|,;:%)])|\[object \w+\]/m

/**
 * @param {readonly string[]} argv
 * @param {{ code: number, stdout: string, stderr: string, seconds: number }} ran
 * @param {Readonly<Record<string, (data: unknown) => string | null>>} schemas for a command's JSON, by command
 * @param {Buffer} bytes of the file: a suspicious word in the output is allowed if the transcript contains it
 * @returns {{ law: string, what: string, frames?: string[] } | null} the first law that is broken; `what` is the same for
 *   failures with the same cause
 */
export function judge(argv, { code, stdout, stderr, seconds }, schemas, bytes) {
  if (code === 70) return { law: 'crash', what: placeOf(stderr), frames: framesIn(stderr).slice(0, 6) }
  if (![0, 1, 2].includes(code)) return { law: 'exit code', what: String(code) }
  if (seconds > secondsAllowed(argv)) return { law: 'slow', what: argv[0] }
  for (const [stream, text] of Object.entries({ stdout, stderr })) {
    const raw = steering.exec(text)
    if (raw) return { law: 'control character', what: `${stream} U+${codeOf(raw[0])}` }
    if (text.split('\n').some((line) => line.startsWith(forged))) return { law: 'forged line', what: stream }
  }
  if (code === 2 && stderr === '' && stdout === '') return { law: 'silent', what: argv[0] }
  const senselessWord = /undefined|\[object/.exec(stderr)
  if (senselessWord) return { law: 'senseless', what: `${argv[0]} stderr ${senselessWord[0]}` }
  return stdout === '' ? null : dataOf(argv, stdout, schemas, bytes)
}

/** Problems that stand for a whole line. */
const whole = ['not-json', 'torn-line', 'line-too-long', 'too-deep']
/** Matches anything but the blanks, commas and control characters that may be around a record. */
const content = /[^\0-\x20,\ufeff]/

/** Why a record is left out. One of another shape may also be read in part, and a trace may have requests without content. */
const reasons = ['unknown-record', 'bad-record', 'bad-shape', 'no-content', 'no-message', 'duplicate-record']

/**
 * Nothing may be lost silently: each record, and each line of a file that is not a single document, is used, known to be
 * no context, or reported.
 * @param report of readTranscripts
 * @param {Buffer} bytes of the file, not compressed
 * @returns {{ law: string, what: string } | null}
 */
export function judgeReport(report, bytes) {
  const { records, used, noContext, leftOut, damagedLines, problems, format } = report
  const lost = (what) => ({ law: 'unaccounted', what: `${format} ${what}` })
  const told = (codes) =>
    problems.reduce((sum, { code, count }) => (codes.includes(code) ? sum + (count ?? 1) : sum), 0)
  if (![used, noContext, leftOut, damagedLines].every((count) => Number.isInteger(count) && count >= 0)) {
    return lost('counts')
  }
  if (used + noContext + leftOut !== records) return lost('records')
  if (told(reasons) < leftOut) return lost('left out')
  const lines = bytes
    .toString()
    .split('\n')
    .filter((line) => content.test(line))
  const [first = ''] = lines
  if (parsed(first.replace(/^\ufeff/, '')) === undefined) return null
  return records + told(whole) < lines.length ? lost('lines') : null
}

/** Commands that try dozens of policies where none is named. */
const tryMany = ['recommend', 'tune']

/** Five seconds for a run, and a quarter of a second for each further policy, which replays the whole transcript. */
function secondsAllowed(argv) {
  const policies = wordBehind(argv, '--policy')?.split(',').length ?? (tryMany.includes(argv[0]) ? 30 : 1)
  return 5 + (policies - 1) / 4
}

/** What is asked: the command, or what a flag makes of it. A file in its place is read by the one without a name. */
function askedIn(argv) {
  const mode = ['--request', '--exchanges', '--init', '--changed'].find((flag) => argv.includes(flag))
  if (mode) return mode.slice(2)
  return /[./]/.test(argv[0]) ? 'overview' : argv[0]
}

function dataOf(argv, stdout, schemas, bytes) {
  const command = askedIn(argv)
  const output = wordBehind(argv, '--output') ?? 'table'
  const reporter = command === 'check' ? (wordBehind(argv, '--reporter') ?? 'default') : null
  const texts =
    command === 'request' || reporter === 'json' || reporter === 'sarif' || (reporter === null && output === 'json')
      ? [stdout]
      : reporter === null && output === 'ndjson'
        ? stdout.trimEnd().split('\n')
        : null
  if (command === 'init') return null
  if (texts === null) {
    const found = senseless.exec(stdout)
    return found && !bytes.includes(found[2] ?? found[0])
      ? { law: 'senseless', what: `${command} ${reporter ?? output} ${found[2] ?? found[0]}` }
      : null
  }
  for (const text of texts) {
    let data
    try {
      data = JSON.parse(text)
    } catch (error) {
      return { law: 'no JSON', what: `${command} ${String(error.message).replace(/[\d"'].*/, '')}` }
    }
    // A request body comes from the transcript and has no figures.
    if (command === 'request' || reporter === 'sarif' || data === null) continue
    const refused = output === 'json' && reporter === null ? schemas[command]?.(data) : null
    if (refused) return { law: 'schema', what: `${command} ${refused}` }
    const wrong = wrongFigureIn(data)
    if (wrong) return { law: wrong.law, what: `${command} ${wrong.key}` }
  }
  return null
}

/** @returns {{ law: string, key: string } | null} a forbidden negative or missing figure. Without recursion: data may nest deep */
function wrongFigureIn(data) {
  const open = [data]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    for (const [path, inner] of Object.entries(value)) {
      // In NDJSON a nested figure has its whole path as its key.
      const key = path.slice(path.lastIndexOf('.') + 1)
      // Dollars by kind: there are none where none of the requests has a price.
      if (/^cost(?:\.|$)/.test(path) && value.usd === null) continue
      if (inner === null && !optional.has(key)) return { law: 'no figure', key }
      // What is held to a limit may be what its metric may.
      const name = key === 'actual' ? String(value.metric) : key
      if (typeof inner === 'number' && inner < 0 && !signed.test(name)) return { law: 'negative', key }
      if (!unjudged.has(key) && inner !== null && typeof inner === 'object') open.push(inner)
    }
  }
  return null
}

/** The class of the error and the source files of its stack: the same for errors with the same cause. */
function placeOf(stderr) {
  const lines = stderr.split('\n')
  const frames = framesIn(stderr)
  const thrown = lines[lines.indexOf(frames[0]) - 1] ?? stderr
  const files = frames.map((line) => /(?:dist|src)\/(.*?)\.[jt]s:/.exec(line)?.[1]).filter((file) => file !== undefined)
  return [/\w*Error/.exec(thrown)?.[0] ?? '', ...[...new Set(files)].slice(0, 3)].join(' < ')
}

function framesIn(stderr) {
  return stderr.split('\n').filter((line) => /^\s+at /.test(line))
}

function wordBehind(argv, flag) {
  const at = argv.indexOf(flag)
  return at < 0 ? undefined : argv[at + 1]
}

function codeOf(character) {
  return character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
}
