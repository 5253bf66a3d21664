/** `--redact` for every format: a word is planted wherever a fixture has a text, an id or a path, and is nowhere in any output. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runCli } from '../cli/run.ts'
import { contentsOf } from './planted.ts'

const root = mkdtempSync(join(tmpdir(), 'ctxwin-formats-'))
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 10 }))
const secret = 'zqsecret'

/** What a reader goes by: kinds, times, versions. */
const kept =
  /^(type|role|kind|subtype|timestamp|time|.*_?at|.*[tT]ime|date|version|stop_reason|finish_reason|status|source|operation.*|name|object|model|format|provider|event|sender|from|media_type|mimeType|method|url|id|.*[iI]d|.*_id|uuid|parentUuid|parent|key|schema.*|content_type|contentType|encoding|level)$/

/** @param only which values a word is put behind, by key */
function planted(value: unknown, key: string, only: (key: string, text: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => planted(one, key, only))
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([name, one]) => [name, planted(one, name, only)])
    const isFree = ['input', 'args', 'arguments', 'parameters'].includes(key)
    return Object.fromEntries(isFree ? [...entries, [`${secret}key`, secret]] : entries)
  }
  if (typeof value !== 'string' || !only(key, value)) return value
  try {
    const inner: unknown = JSON.parse(value)
    if (typeof inner === 'object' && inner !== null) return JSON.stringify(planted(inner, key, only))
  } catch {
    // A text.
  }
  return /^\d{4}-\d\d-\d\dT/.test(value) ? value : `${value}${secret}`
}

function plantedFile(text: string, only: (key: string, value: string) => boolean): string {
  const plant = (document: string) => JSON.stringify(planted(JSON.parse(document), '', only))
  try {
    return plant(text)
  } catch {
    const lines = text.split('\n').map((line) => {
      try {
        return plant(line)
      } catch {
        return `${line} ${secret}`
      }
    })
    return lines.join('\n')
  }
}

const all = join(root, `${secret}-all`)
const names = readdirSync('fixtures', { recursive: true, encoding: 'utf8' }).filter(
  (name) =>
    /\.(jsonl?|log)$/.test(name) && !/^(vectors|damaged)/.test(name) && statSync(join('fixtures', name)).size < 20_000,
)
const ways = {
  everywhere: (key: string) => !kept.test(key) || /id$/i.test(key),
  'in texts': (key: string, text: string) => !kept.test(key) && /\s/.test(text),
}
for (const [nth, [way, only]] of Object.entries(ways).entries()) {
  for (const [at, name] of names.sort().entries()) {
    // Every second file each way, but where a format has no other.
    const folder = dirname(name)
    if (at % 2 !== nth && names.filter((one) => dirname(one) === folder).length > 1) continue
    const directory = join(all, way, name, '..')
    mkdirSync(directory, { recursive: true })
    writeFileSync(
      join(all, way, `${name}.json`.replace(/(\.jsonl?|\.log)\.json$/, `-${secret}$1`)),
      plantedFile(readFileSync(join('fixtures', name), 'utf8'), only),
    )
  }
}

describe('--redact', () => {
  it.each([
    'export -e bytes --to ctxwin',
    '-e bytes --json',
    'sessions --json',
    'spend --json',
    'export -b 2k -e bytes --content --to ndjson:written',
  ])('%s has none of it', async (line) => {
    const written = join(root, 'written')
    rmSync(written, { recursive: true, force: true })
    mkdirSync(written)
    const argv = [...line.split(' '), all, '--redact']
    const { code, stdout, stderr } = await runCli(argv, { cwd: root, env: { CI: 'true', COLUMNS: '1000' } })
    expect([code, (stdout + contentsOf(written)).length > 1000], stderr).toEqual([0, true])
    const text = stdout + stderr + contentsOf(written)
    const at = text.toLowerCase().indexOf(secret)
    expect(at < 0 ? '' : text.slice(Math.max(0, at - 200), at + 100)).toBe('')
  })
})
