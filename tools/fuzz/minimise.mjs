/** Delta debugging: makes a file smaller that still fails in the same way. Removes lines first, then values, then bytes. */
import { parsed, spotsOf } from './mutate.mjs'

/** Seconds per file: it only has to become small enough for a person to read. */
const patience = 40

/**
 * @param runner a Runner
 * @param {{ name: string, bytes: Buffer, good: Buffer | null }} whole
 * @param {{ law: string, what: string, line: readonly string[] }} failure
 * @returns {Promise<{ bytes: Buffer, byName: boolean }>} the smallest file found (the whole one if the failure cannot be
 *   repeated), and whether it fails only with the file's name
 */
export async function minimise(runner, { name, bytes, good }, failure) {
  const until = performance.now() + patience * 1000
  const failsAs = async (candidate, called) => {
    if (performance.now() > until) return false
    const lines = [failure.line.map((word) => (word === name ? called : word))]
    const task = { name: called, bytes: candidate.toString('base64'), good: good?.toString('base64') ?? null, lines }
    const { failures } = await runner.run(task)
    return failures.some(({ law, what }) => law === failure.law && what === failure.what)
  }
  const [packed] = /(\.gz|\.zst)$/.exec(name) ?? ['']
  const plain = `file.jsonl${packed}`
  const called = (await failsAs(bytes, plain)) ? plain : name
  const again = called === plain || (await failsAs(bytes, name))
  const byName = again && called === name
  if (packed !== '' || !again) return { bytes, byName }
  return { bytes: await smallest(bytes, (candidate) => failsAs(candidate, called)), byName }
}

async function smallest(bytes, fails) {
  const some = await fewest(bytes.toString('latin1').split('\n'), (rest) => fails(latin(rest.join('\n'))))
  let lines = some.map((line) => latin(line).toString())
  // Bytes that are not text (bits flipped inside a character) would not survive the conversion.
  if (!(await fails(Buffer.from(lines.join('\n'))))) return latin(some.join('\n'))
  const whole = lines.length > 1 ? parsed(lines.join('\n')) : undefined
  if (whole !== undefined) lines = [await fewerValues(whole, (text) => fails(Buffer.from(text)), lines.join('\n'))]
  else {
    for (const [index, line] of lines.entries()) {
      const record = parsed(line)
      if (record === null || typeof record !== 'object') continue
      lines[index] = await fewerValues(record, (text) => fails(Buffer.from(lines.with(index, text).join('\n'))), line)
    }
  }
  const text = await fewerTimes(lines.join('\n'), (shorter) => fails(Buffer.from(shorter)))
  // Removing characters from valid JSON would only make it harder to read.
  if (text.length > 3000 || lines.every((line) => parsed(line) !== undefined)) return Buffer.from(text)
  const characters = await fewest([...text], (rest) => fails(Buffer.from(rest.join(''))))
  return Buffer.from(characters.join(''))
}

/**
 * Shortens all repetitions by the same share: nested values need as many closing brackets at the end as opening ones at
 * the beginning.
 */
async function fewerTimes(text, fails) {
  let best = text
  for (const share of [0.5, 0.9, 0.99]) {
    for (let again = true; again; ) {
      const shorter = best.replace(/(.{1,40}?)\1{7,}/gs, (run, unit) =>
        unit.repeat(Math.floor((run.length / unit.length) * share)),
      )
      again = shorter.length < best.length && (await fails(shorter))
      if (again) best = shorter
    }
  }
  return best
}

const latin = (text) => Buffer.from(text, 'latin1')

/** Zeller's ddmin: removes smaller and smaller parts while the rest still fails. */
async function fewest(parts, fails) {
  let left = parts
  for (let size = Math.ceil(left.length / 2); left.length > 1; ) {
    let fewer = false
    for (let from = 0; from < left.length && left.length > 1; ) {
      const rest = left.toSpliced(from, size)
      if (rest.length > 0 && (await fails(rest))) {
        left = rest
        fewer = true
      } else from += size
    }
    if (size === 1 && !fewer) return left
    size = Math.max(1, Math.min(Math.ceil(size / 2), Math.ceil(left.length / 2)))
    if (size === 1 && left.length === 1) return left
  }
  return left
}

/** Removes keys and elements, and shortens text, one by one, the largest first. */
async function fewerValues(record, fails, text) {
  let best = text
  const attempt = async () => {
    const candidate = written(record)
    if (candidate === null || candidate.length >= best.length || !(await fails(candidate))) return false
    best = candidate
    return true
  }
  if (written(record) === null) return best
  for (let again = true; again; ) {
    again = false
    for (const { holder, key } of spotsOf(record)) {
      if (!Object.hasOwn(holder, key)) continue
      const value = holder[key]
      if (Array.isArray(holder)) {
        holder.splice(Number(key), 1)
        if (await attempt()) again = true
        else holder.splice(Number(key), 0, value)
        continue
      }
      const members = Object.entries(holder)
      delete holder[key]
      if (await attempt()) {
        again = true
        continue
      }
      for (const [name] of members) delete holder[name]
      // In their original order: a failed attempt must not change the text.
      for (const [name, member] of members) {
        Object.defineProperty(holder, name, { value: member, enumerable: true, configurable: true, writable: true })
      }
      if (typeof value !== 'string') continue
      for (let length = value.length >> 1; length > 0; length >>= 1) {
        const longer = holder[key]
        holder[key] = longer.slice(0, Math.max(0, longer.length - length))
        if (!(await attempt())) holder[key] = longer
      }
    }
  }
  return best
}

function written(record) {
  try {
    return JSON.stringify(record)
  } catch {
    return null
  }
}
