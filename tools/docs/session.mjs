#!/usr/bin/env node
/**
 * Writes the session that the README's picture shows, fixtures/claude-code/moorings.jsonl, to standard output.
 * A made-up agent works through an afternoon on a made-up program, compacts twice, and edits files that it read long before.
 * Nothing in it is random: the same numbers give the same file.
 */
const cwd = '/home/ada/moorings'
const model = 'claude-sonnet-4-5-20250929'
/** Tokens of the system prompt and the tools, and bytes to a token. */
const preamble = 5200
const bytesPerToken = 3.7

let seed = 7
/** A whole number below `below`: Lehmer's generator. */
const next = (below) => {
  seed = (seed * 48271) % 2147483647
  return seed % below
}
const pick = (list) => list[next(list.length)]

const nouns = ['berth', 'booking', 'tariff', 'guest', 'invoice', 'season', 'harbour', 'vessel', 'deposit', 'tide']
const verbs = ['assign', 'cancel', 'extend', 'quote', 'settle', 'refund', 'move', 'confirm', 'expire', 'merge']
const facts = [
  'length',
  'draught',
  'nights',
  'currency',
  'status',
  'arrival',
  'departure',
  'electricity',
  'water',
  'email',
]
const upper = (word) => word[0].toUpperCase() + word.slice(1)

/** A source file: its lines are its own, so that what is taken over from it can be told. */
function sourceOf(noun, functions) {
  const lines = [`import { ledger } from '../ledger.ts'`, `import type { ${upper(noun)} } from '../types.ts'`, '']
  for (let at = 0; at < functions; at++) {
    const name = `${verbs[(at * 3 + nouns.indexOf(noun)) % verbs.length]}${upper(noun)}${at > 9 ? 'Again' : ''}`
    const [one, other] = [pick(facts), pick(facts)]
    lines.push(
      `/** Called by the ${pick(nouns)} desk when the ${one} of a ${noun} changes after the first night. */`,
      `export function ${name}(${noun}: ${upper(noun)}, ${one}: number, now: Date): ${upper(noun)} {`,
      `  const limit = ${noun}.${one} + ${10 + next(90)} * ledger.rateOf('${noun}.${other}', now)`,
      `  if (${one} > limit) throw new RangeError(\`${noun} \${${noun}.id}: ${one} beyond \${limit}\`)`,
      `  const entry = ledger.append({ kind: '${noun}.${name}', amount: limit - ${one}, at: now.toISOString() })`,
      `  return { ...${noun}, ${one}, revision: ${noun}.revision + 1, lastEntry: entry.id }`,
      '}',
      '',
    )
  }
  return lines
}

const files = new Map(nouns.map((noun, at) => [`src/${noun}/${noun}.ts`, sourceOf(noun, 5 + (at % 4) * 2)]))

const records = []
let time = Date.parse('2026-05-19T13:02:00.000Z')
let [parent, uuids, calls, responses] = [null, 0, 0, 0]
/** Bytes of what the next request carries, and how many tokens of it the provider has seen a moment ago. */
let [bytes, cached] = [0, 0]

const uuid = () => `00000000-0000-4000-8000-${String(++uuids).padStart(12, '0')}`
const tokens = () => preamble + Math.round(bytes / bytesPerToken)

function write(type, fields, seconds) {
  time += seconds * 1000
  const id = uuid()
  const session = { cwd, sessionId: '2b8f41d6-77aa-4f0e-8a34-6f2d90c1b7e5', version: '2.1.38' }
  records.push({
    parentUuid: parent,
    isSidechain: false,
    ...session,
    type,
    ...fields,
    uuid: id,
    timestamp: new Date(time).toISOString(),
  })
  parent = id
}

function user(content, { seconds = 40, ...more } = {}) {
  bytes += Buffer.byteLength(typeof content === 'string' ? content : JSON.stringify(content))
  write('user', { message: { role: 'user', content }, ...more }, seconds)
}

/** A response; what it says and asks for is part of the requests after it. */
function assistant(blocks, seconds = 6) {
  const input = tokens()
  const read = Math.min(cached, input - 3)
  const written = input - 3 - read
  const size = Buffer.byteLength(JSON.stringify(blocks))
  const usage = {
    input_tokens: 3,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 },
    output_tokens: Math.round(size / bytesPerToken) + 8,
    service_tier: 'standard',
  }
  const id = String(++responses).padStart(4, '0')
  const stop = blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn'
  const message = {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: blocks,
    stop_reason: stop,
    usage,
  }
  write('assistant', { message, requestId: `req_${id}` }, seconds)
  bytes += size
  cached = input
}

const text = (words) => ({ type: 'text', text: words })
const thinking = (words) => ({ type: 'thinking', thinking: words, signature: 'EqQBCkYIBxgCKkA=' })

function tool(name, input, result, before = []) {
  const id = `toolu_${String(++calls).padStart(4, '0')}`
  assistant([...before, { type: 'tool_use', id, name, input }])
  user([{ tool_use_id: id, type: 'tool_result', content: result }], { seconds: 2 })
}

const read = (path, before) =>
  tool(
    'Read',
    { file_path: `${cwd}/${path}` },
    files
      .get(path)
      .map((line, at) => `${String(at + 1).padStart(6)}\t${line}`)
      .join('\n'),
    before,
  )

function grep(pattern) {
  const found = [...files].flatMap(([path, lines]) =>
    lines.flatMap((line, at) => (line.includes(pattern) ? [`${path}:${at + 1}:${line}`] : [])),
  )
  tool('Grep', { pattern, path: 'src', output_mode: 'content' }, found.slice(0, 24).join('\n') || 'No matches found')
}

/** Puts a line in front of a function's return, quoting the lines around it as they stand in the file. */
function edit(path, nth, added) {
  const lines = files.get(path)
  const at = lines.map((line, index) => (line.startsWith('  return ') ? index : -1)).filter((index) => index >= 0)[nth]
  const old = lines.slice(at - 2, at + 1)
  const fresh = [...old.slice(0, 2), added, old[2]]
  files.set(path, [...lines.slice(0, at - 2), ...fresh, ...lines.slice(at + 1)])
  tool(
    'Edit',
    { file_path: `${cwd}/${path}`, old_string: old.join('\n'), new_string: fresh.join('\n') },
    `The file ${cwd}/${path} has been updated.`,
  )
}

function tests(failing) {
  const names = [...files.keys()].map((path) => path.replace('src', 'test').replace('.ts', '.test.ts'))
  const lines = names.flatMap((name, at) => {
    const line = `${at === failing ? 'not ok' : 'ok'} ${at + 1} - ${name} (${40 + next(400)} ms)`
    if (at !== failing) return [line]
    return [
      line,
      `  RangeError: ${nouns[at]} 4711: nights beyond ${100 + next(900)}`,
      `    at ${[...files.keys()][at]}:${12 + next(60)}:11`,
      '    at test runner (node:internal/test_runner/test:1003:25)',
    ]
  })
  tool(
    'Bash',
    { command: 'node --test test/', description: 'Run the tests' },
    [...lines, `# pass ${names.length - (failing === undefined ? 0 : 1)}`].join('\n'),
  )
}

const commit = (words) =>
  tool(
    'Bash',
    { command: `git commit -qam "${words}" && git log --oneline -1`, description: 'Commit' },
    `${(0x1a2b3c + next(99999)).toString(16)} ${words}`,
  )

function compact(summary) {
  const before = tokens()
  parent = null
  const last = records.at(-1).uuid
  write(
    'system',
    {
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      logicalParentUuid: last,
      compactMetadata: { trigger: 'auto', preTokens: before },
    },
    30,
  )
  bytes = 0
  cached = preamble
  user(`This session is being continued from a previous conversation that ran out of context. ${summary}`, {
    isCompactSummary: true,
    isVisibleInTranscriptOnly: true,
    seconds: 1,
  })
}

const paths = [...files.keys()]
const of = (noun) => `src/${noun}/${noun}.ts`

user('Guests are charged for nights they have cancelled. Find out why, and mend it with a test.')
grep('cancel')
read(of('booking'), [
  thinking('The charge is made where a booking is settled. I should see both sides before I touch either.'),
])
read(of('tariff'))
read(of('invoice'))
tests(1)
edit(of('booking'), 1, "  if (booking.status === 'cancelled') return booking")
tests()
assistant([text('Cancelled bookings were settled like any other. They are left as they are now, and a test says so.')])

user('Good. The harbour desk says moving a vessel to another berth loses the deposit. Look at that next.', {
  seconds: 190,
})
read(of('vessel'))
read(of('berth'))
read(of('deposit'), [thinking('The deposit hangs on the berth, not on the booking. Moving must carry it along.')])
grep("kind: 'deposit")
edit(of('deposit'), 0, '  ledger.link(entry.id, deposit.berth, { since: now })')
edit(of('berth'), 2, '  for (const deposit of ledger.openFor(berth.id)) ledger.link(deposit.id, entry.id)')
tests(0)
edit(of('berth'), 0, '  ledger.unlink(berth.lastEntry)')
tests()
commit('Carry the deposit along when a vessel moves')
assistant([
  text('A deposit was bound to the berth. It goes with the vessel now; committed apart from the first change.'),
])

user('Now seasons. Rates change at midnight in UTC, but the harbour keeps local time. Where does that matter?', {
  seconds: 120,
})
grep('now.toISOString')
read(of('season'))
read(of('tide'))
read(of('guest'))
for (const noun of ['season', 'tide', 'harbour']) edit(of(noun), 1, `  const local = ledger.localOf(now, ${noun}.id)`)
read(of('harbour'))
tests(6)
compact(
  'Ada had three faults mended: cancelled bookings were settled (src/booking/booking.ts), a deposit stayed behind when a vessel moved (src/deposit/deposit.ts, src/berth/berth.ts; committed), and seasons change at midnight UTC (in work: src/season/season.ts, src/tide/tide.ts, src/harbour/harbour.ts). One test of the harbour fails.',
)
read(of('harbour'))
edit(of('harbour'), 3, '  if (local.day !== now.getUTCDate()) ledger.note(entry.id, "local day")')
tests()
edit(of('tariff'), 2, '  const local = ledger.localOf(now, tariff.id)')
edit(of('season'), 2, '  const local = ledger.localOf(now, season.id)')
tests()
commit('Change rates at midnight of the harbour')
assistant([text('Rates go by the time of the harbour now: in tariffs, seasons, tides and at the desk.')])

user('Show me which entries of the ledger are never read.', { seconds: 420 })
cached = 0
grep('ledger.append')
for (const noun of ['guest', 'invoice', 'tide', 'vessel']) read(of(noun))
assistant([
  text(
    'Three are never read: those of `expireGuest`, `mergeInvoice` and `quoteTide`. I would drop the last one only: the other two are what the yearly report is made of.',
  ),
])

user('Agreed, drop that one. Then give every entry a reason, in all ten files.', { seconds: 75 })
for (const [at, path] of paths.entries()) {
  if (at % 3 !== 1) read(path)
  edit(path, at % 3, `  ledger.reason(entry.id, '${paths.at(-1 - at).split('/')[1]} desk')`)
  if (at % 4 === 3) tests()
}
compact(
  'All faults named before are mended and committed. In work: every ledger entry gets a reason, in all ten files under src/; done, tests pass. `quoteTide` no longer writes to the ledger.',
)
tests()
commit('Give every entry of the ledger a reason')
assistant([text('Every entry has a reason now, and `quoteTide` writes none any more.')])

user('One more: the refund of an invoice rounds twice. Use the rounding that the tariff has.', { seconds: 95 })
edit(of('invoice'), 2, '  const rounded = ledger.round(entry.amount)')
read(of('tariff'))
grep('rateOf')
edit(of('tariff'), 0, '  const rounded = ledger.round(limit)')
edit(of('booking'), 0, '  const rounded = ledger.round(limit)')
tests(4)
read(of('invoice'))
edit(of('invoice'), 1, '  const rounded = ledger.round(limit)')
tests()
commit('Round a refund once')
assistant([text('The refund is rounded once, as tariffs are.')])

user('Write down for the desk what changed today, a line each.', { seconds: 60 })
tool(
  'Bash',
  { command: 'git log --oneline -4', description: 'What changed' },
  'Round a refund once\nGive every entry of the ledger a reason\nChange rates at midnight of the harbour\nCarry the deposit along when a vessel moves',
)
assistant([
  text(
    '- Cancelled nights are no longer charged.\n- A deposit moves with the vessel.\n- Rates change at midnight of the harbour.\n- Every entry says who made it, and why.\n- A refund is rounded once.',
  ),
])

process.stdout.write(records.map((one) => `${JSON.stringify(one)}\n`).join(''))
