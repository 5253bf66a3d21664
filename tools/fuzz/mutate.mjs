/**
 * Turns a good transcript into a broken one. Each mutation is a pure function of bytes and random numbers, so that a case
 * can be repeated from its seed and number. They imitate what disks, crashes, other programs and attackers do to files.
 */
import zlib from 'node:zlib'

/** Larger transcripts are cut to this many bytes: a mutation has the same effect in a small file, in less time. */
export const largest = 200_000
/** A mutation that makes more bytes than this is left out, so that a run takes no more than a few seconds. */
const most = 400_000

const times = [
  1e18,
  -1,
  0,
  1e308,
  -8.64e15,
  8.64e15 + 1,
  '0000-00-00T00:00:00Z',
  '+275760-09-13T00:00:01Z',
  'soon',
  null,
]
const numbers = [
  0,
  -0,
  -1,
  -1e15,
  0.5,
  -0.25,
  1e-320,
  1e15,
  1e17,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  2 ** 53 + 2,
  2 ** 64,
  1e21,
  1e100,
  1e308,
  -1e308,
]
/** Text that would forge a line of output: judge.mjs looks for it. */
export const forged = '::error::forged'
const texts = [
  '',
  ' ',
  '\ud800',
  'a\udc00b',
  '\0',
  `\n${forged}`,
  '\r\n',
  '\u001b[31m\u001b]0;owned\u0007',
  '\u009b2J',
  '\u007f\b',
  '\u2028\u202e\ufeff',
  '__proto__',
  'constructor',
  'NaN',
  '1e999',
  '-1',
  '=1+1',
  '../../etc/passwd',
  '{"a":[',
  '| x | <b>',
  '🙂'.repeat(50),
]
const keys = ['__proto__', 'constructor', 'toString', 'length', '', '\0', 'type', 'role', 'content', 'id', 'usage', '0']

/** Mutations of bytes. */
const onBytes = {
  flipBits(bytes, { random }) {
    const flipped = Buffer.from(bytes)
    for (let times = 1 + random.below(8); times > 0 && bytes.length > 0; times--) {
      flipped[random.below(bytes.length)] ^= 1 << random.below(8)
    }
    return flipped
  },
  truncate: (bytes, { random }) => bytes.subarray(0, random.below(bytes.length + 1)),
  cutHead: (bytes, { random }) => bytes.subarray(random.below(bytes.length + 1)),
  insert(bytes, { random }) {
    const strange = [
      '\0',
      '\0'.repeat(4096),
      '\ufeff',
      '\u001e',
      '\n',
      '\r',
      '\\',
      '"',
      '}',
      ']',
      '[',
      '{',
      ',',
      '\u2028',
    ]
    const what = random.chance(0.2) ? Buffer.from([0xff, 0xc0, 0xed, 0xa0, 0x80]) : Buffer.from(random.one(strange))
    return replaced(bytes, random.below(bytes.length + 1), 0, what)
  },
  drop: (bytes, { random }) => replaced(bytes, random.below(bytes.length + 1), random.below(200), Buffer.alloc(0)),
  repeat(bytes, { random }) {
    const from = random.below(bytes.length + 1)
    return replaced(bytes, from, 0, bytes.subarray(from, from + random.below(500)))
  },
}

/** Mutations of lines. */
const onLines = {
  dropLine: (lines, { random }) => lines.toSpliced(random.below(lines.length), 1 + random.below(3)),
  doubleLine(lines, { random }) {
    const at = random.below(lines.length)
    return lines.toSpliced(random.below(lines.length + 1), 0, ...lines.slice(at, at + 1 + random.below(3)))
  },
  doubleAll: (lines) => [...lines, ...lines],
  swapLines(lines, { random }) {
    const [a, b] = [random.below(lines.length), random.below(lines.length)]
    return lines.with(a, lines[b]).with(b, lines[a])
  },
  reverse: (lines) => lines.toReversed(),
  joinLines(lines, { random }) {
    const at = random.below(lines.length)
    return lines.toSpliced(at, 2, lines.slice(at, at + 2).join(random.one(['', ' ', ',', '\r', '\0'])))
  },
  tearLine(lines, { random }) {
    const at = random.below(lines.length)
    const to = random.below(lines[at].length + 1)
    return random.chance(0.5) ? lines.with(at, lines[at].slice(0, to)) : lines.with(at, lines[at].slice(to))
  },
  strangeLine(lines, { random }) {
    const strange = [
      '',
      ' ',
      'null',
      '0',
      '"text"',
      '[]',
      '{}',
      '[[]]',
      '{"type":null}',
      '}',
      '[null]',
      'Traceback:',
      '\0\0',
    ]
    return lines.toSpliced(random.below(lines.length + 1), 0, random.one(strange))
  },
  manyDamaged(lines, { random }) {
    const count = random.one([10, 10, 1000, 1000, 150_000])
    return lines.toSpliced(random.below(lines.length + 1), 0, Array(count).fill('{').join('\n'))
  },
  spliceOther(lines, { random, other }) {
    const more = linesOf(other())
    const from = random.below(more.length)
    return lines.toSpliced(random.below(lines.length + 1), 0, ...more.slice(from, from + 1 + random.below(20)))
  },
  headOfOther(lines, { random, other }) {
    const more = linesOf(other())
    return [...more.slice(0, random.below(more.length)), ...lines.slice(random.below(lines.length))]
  },
  carriageReturns: (lines) => lines.map((line) => `${line}\r`),
}

/** Mutations of values in records. `spots` are all the places in a record: an object or array, and one of its keys. */
const onValues = {
  otherType(spots, { random }) {
    const { holder, key } = random.one(spots)
    holder[key] = random.one([
      null,
      true,
      false,
      0,
      '',
      'text',
      [],
      {},
      [null],
      [[]],
      { type: 'text' },
      [holder[key]],
      { 0: 1 },
    ])
  },
  number(spots, { random }) {
    const some = spots.filter(({ holder, key }) => typeof holder[key] === 'number')
    const { holder, key } = random.one(some.length > 0 ? some : spots)
    holder[key] = random.one(numbers)
  },
  allNumbers(spots, { random }) {
    const value = random.one(numbers)
    for (const { holder, key } of spots) if (typeof holder[key] === 'number') holder[key] = value
  },
  text(spots, { random }) {
    const some = spots.filter(({ holder, key }) => typeof holder[key] === 'string')
    const { holder, key } = random.one(some.length > 0 ? some : spots)
    holder[key] = random.chance(0.3) ? `${holder[key]}${random.one(texts)}` : random.one(texts)
  },
  longText(spots, { random }) {
    const some = spots.filter(({ holder, key }) => typeof holder[key] === 'string')
    const { holder, key } = random.one(some.length > 0 ? some : spots)
    holder[key] = random
      .one(['a', 'word ', '/', 'a/b.ts ', '🙂', '-', '\n', '[', 'x;', '0'])
      .repeat(random.one([100, 10_000, 10_000, 100_000]))
  },
  time(spots, { random }) {
    const some = spots.filter(({ key }) => /time|date|At$|_at$|^ts$|created/i.test(key))
    const { holder, key } = random.one(some.length > 0 ? some : spots)
    holder[key] = random.one(times)
  },
  usage(spots, { random }) {
    const some = spots.filter(({ key }) => /token|usage|cost|total|count/i.test(key))
    const { holder, key } = random.one(some.length > 0 ? some : spots)
    holder[key] = random.one(random.chance(0.8) ? numbers : texts)
  },
  dropKey(spots, { random }) {
    const { holder, key } = random.one(spots)
    if (Array.isArray(holder)) holder.splice(Number(key), 1)
    else delete holder[key]
  },
  renameKey(spots, { random }) {
    const { holder, key } = random.one(spots)
    put(holder, random.one(keys), holder[key])
    if (!Array.isArray(holder) && random.chance(0.5)) delete holder[key]
  },
  copyValue(spots, { random, donors }) {
    const from = random.one(donors)
    const value = from.holder[from.key]
    const { holder, key } = random.one(spots)
    holder[key] = value
  },
  /** Copies another record's value for the same key: duplicate ids, parents that are children, roles that are kinds. */
  sameKey(spots, { random, donors }) {
    const { holder, key } = random.one(spots)
    const some = donors.filter((donor) => donor.key === key)
    if (some.length === 0) return
    const from = random.one(some)
    holder[key] = from.holder[from.key]
  },
  /** Makes a parent the record itself or a later one, so that there is a cycle. */
  parent(spots, { random, donors }) {
    const ids = donors.filter(({ key }) =>
      /^(id|uuid|call_id|tool_use_id|callID|tool_call_id|session_?id|messageID)$/i.test(key),
    )
    const some = spots.filter(({ key }) => /parent|fork|target|leaf|tool_use_id|call_id|previous|source/i.test(key))
    if (ids.length === 0 || some.length === 0) return
    const { holder, key } = random.one(some)
    const from = random.one(ids)
    holder[key] = from.holder[from.key]
  },
  repeatElements(spots, { random }) {
    const some = spots.filter(({ holder, key }) => Array.isArray(holder[key]) && holder[key].length > 0)
    if (some.length === 0) return
    const { holder, key } = random.one(some)
    const list = holder[key]
    const room = most / (JSON.stringify(list).length / list.length)
    const length = Math.min(random.one([2, 2, 100, 100, 5000, 200_000]), Math.floor(room))
    holder[key] = Array.from({ length }, (_, index) => list[index % list.length])
  },
  reorderElements(spots, { random }) {
    const some = spots.filter(({ holder, key }) => Array.isArray(holder[key]) && holder[key].length > 1)
    if (some.length === 0) return
    const { holder, key } = random.one(some)
    if (random.chance(0.5)) holder[key].reverse()
    else holder[key].splice(random.below(holder[key].length), 1)
  },
  /** Breaks JSON inside a string, such as a call's arguments. */
  inner(spots, { random }) {
    const some = spots.filter(({ holder, key }) => typeof holder[key] === 'string' && /^\s*[[{]/.test(holder[key]))
    if (some.length === 0) return
    const { holder, key } = random.one(some)
    const text = holder[key]
    holder[key] = random.one([
      text.slice(0, random.below(text.length)),
      text.replace(/"[^"]*"/, () => '1e308'),
      `${nested(random.one([50, 5000]), random)}`,
      JSON.stringify({
        command: random.one(['a ', 'cat x;', '"', '$(', '\\', '/etc/']).repeat(random.one([10, 1000, 250_000])),
      }),
      `${text}${text}`,
    ])
  },
}

/** Keys whose values readers accept in any shape. */
const carriers = /"(input|arguments|args|parameters|content|data|output|text|function|tools|state|payload)":[^:]*$/

/** Nests values deeper than JSON.stringify can write, so it inserts text. */
function nest(lines, { random }) {
  const at = random.below(lines.length)
  const all = [...lines[at].matchAll(/(?<=[:,[]\s*)(?:"(?:[^"\\]|\\.)*"(?!\s*:)|-?\d[\d.eE+-]*|null|true|false)/g)]
  const likely = all.filter(({ index }) => carriers.test(lines[at].slice(Math.max(0, index - 100), index)))
  const places = likely.length > 0 && random.chance(0.7) ? likely : all
  const deep = nested(random.one([20, 1000, 5000, 9000, 20_000, 100_000]), random)
  if (places.length === 0) return lines.toSpliced(at, 0, deep)
  const place = random.one(places)
  return lines.with(at, lines[at].slice(0, place.index) + deep + lines[at].slice(place.index + place[0].length))
}

function nested(depth, random) {
  const [open, close] = random.one([
    ['[', ']'],
    ['{"a":', '}'],
    ['{"content":[', ']}'],
    ['{"items":', '}'],
    ['[{"type":"text","text":', '}]'],
  ])
  return `${open.repeat(depth)}1${random.chance(0.9) ? close.repeat(depth) : ''}`
}

/** The kinds of mutation, weighted by how much they find. */
const kinds = [
  ...Array(4).fill(['bytes', onBytes]),
  ...Array(4).fill(['lines', onLines]),
  ...Array(10).fill(['values', onValues]),
  ['lines', { nest }],
]

/** Changes to the whole file, at the end. */
const packings = {
  mark: (bytes) => Buffer.concat([Buffer.from('\ufeff'), bytes]),
  wide: (bytes) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(bytes.toString(), 'utf16le')]),
  gzip: (bytes) => zlib.gzipSync(bytes),
  tornGzip: (bytes, { random }) => onBytes[random.one(['truncate', 'flipBits'])](zlib.gzipSync(bytes), { random }),
  twoGzips: (bytes) => Buffer.concat([zlib.gzipSync(bytes), zlib.gzipSync(bytes)]),
  gzipAndRest: (bytes, { random }) => Buffer.concat([zlib.gzipSync(bytes), onBytes.truncate(bytes, { random })]),
  zstd: (bytes) => zstdFrame(bytes),
  tornZstd: (bytes, { random }) => onBytes[random.one(['truncate', 'flipBits'])](zstdFrame(bytes), { random }),
  twoZstds: (bytes) => Buffer.concat([zstdFrame(bytes), Buffer.from(skippable), zstdFrame(bytes)]),
  zstdAndRest: (bytes, { random }) => Buffer.concat([zstdFrame(bytes), onBytes.truncate(zstdFrame(bytes), { random })]),
}

/** A Zstandard frame that decoders skip: magic number, length of the content, content (RFC 8878, 3.1.2). */
const skippable = [0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]

/** RFC 8878, 3.1.1, with blocks that are not compressed: Node writes frames from 22.15 on, and a case is the same on all. */
export function zstdFrame(bytes) {
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0])
  header.writeUInt32LE(bytes.length, 5)
  const parts = [header]
  const longest = 1 << 17
  let from = 0
  do {
    const raw = bytes.subarray(from, from + longest)
    from += longest
    const before = Buffer.alloc(3)
    before.writeUIntLE((raw.length << 3) | (from >= bytes.length ? 1 : 0), 0, 3)
    parts.push(before, raw)
  } while (from < bytes.length)
  return Buffer.concat(parts)
}

/** Beginnings of file names that an attacker might use; the rest is the transcript's own name. */
const names = ['\u001b[31m', `\n${forged} `, 'a b', '[x]*', '日本', '__proto__', '%s%n', '\u009b2J']

/**
 * @param {{ name: string, bytes: Buffer }} good
 * @param random from `randomFrom` in bench/generate.mjs
 * @param {() => Buffer} other another good transcript, of any format
 * @returns {{ name: string, bytes: Buffer, mutations: string[] }}
 */
export function mutate(good, random, other) {
  const mutations = []
  const tools = { random, other }
  let bytes = wholeLines(good.bytes, random)
  for (let left = 1 + (random.chance(0.5) ? 0 : random.below(4)); left > 0; left--) {
    const [kind, all] = random.one(kinds)
    const name = random.one(Object.keys(all))
    mutations.push(name)
    const broken =
      kind === 'bytes'
        ? all[name](bytes, tools)
        : kind === 'lines'
          ? Buffer.from(all[name](linesOf(bytes), tools).join('\n'))
          : withValues(bytes, all[name], tools)
    if (broken.length <= most) bytes = broken
  }
  let name = good.name
  if (random.chance(0.06)) {
    const packing = random.one(Object.keys(packings))
    mutations.push(packing)
    bytes = packings[packing](bytes, tools)
    if (/gzip/i.test(packing)) name += '.gz'
    if (/zstd/i.test(packing)) name += '.zst'
  }
  if (random.chance(0.03)) name = random.one(names) + name
  return { name, bytes, mutations }
}

/** The beginning or middle of a large transcript, in whole lines. */
function wholeLines(bytes, random) {
  if (bytes.length <= largest) return bytes
  const from = random.chance(0.5) ? 0 : bytes.indexOf(10, random.below(bytes.length - largest)) + 1
  const to = bytes.lastIndexOf(10, from + largest)
  return bytes.subarray(from, to > from ? to : from + largest)
}

function linesOf(bytes) {
  return bytes.toString().split('\n')
}

/** Makes a change to several records of the file, or to its one document. */
function withValues(bytes, change, tools) {
  const { random } = tools
  const lines = linesOf(bytes)
  const whole = parsed(bytes.toString())
  // 100,000 torn lines would cost seconds of exceptions.
  const records = whole === undefined ? lines.map((line) => (/[}\]]\r?$/.test(line) ? parsed(line) : null)) : [whole]
  const places = records.map((record, index) => ({ record, index })).filter(({ record }) => isHolder(record))
  if (places.length === 0) return bytes
  const donors = spotsOf(random.one(places).record)
  for (let left = 1 + (random.chance(0.7) ? 0 : random.below(places.length)); left > 0; left--) {
    const place = random.one(places)
    const { record, index } = place
    const spots = spotsOf(record)
    if (spots.length === 0 || donors.length === 0) continue
    try {
      change(spots, { ...tools, donors })
      const text = JSON.stringify(record, null, whole !== undefined && lines.length > 2 ? 2 : 0)
      if (whole !== undefined || text.length > most) return Buffer.from(text)
      lines[index] = text
      // A copy without shared values: a later change to a shared value would apply, and grow, in both places.
      place.record = JSON.parse(text)
    } catch (error) {
      // The value contains itself, or is nested deeper than JSON.stringify can handle.
      if (!(error instanceof TypeError || error instanceof RangeError)) throw error
      return bytes
    }
  }
  return Buffer.from(lines.join('\n'))
}

/** Every place of a value, without recursion: values may be nested deeper than the stack. */
export function spotsOf(record) {
  const spots = []
  const open = [record]
  for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
    for (const key of Object.keys(holder)) {
      spots.push({ holder, key })
      if (isHolder(holder[key])) open.push(holder[key])
    }
  }
  return spots
}

/** Sets a member as JSON.parse does, so that `__proto__` is a key like any other. */
function put(holder, key, value) {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true })
}

function isHolder(value) {
  return value !== null && typeof value === 'object'
}

export function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function replaced(bytes, from, length, what) {
  return Buffer.concat([bytes.subarray(0, from), what, bytes.subarray(from + length)])
}
