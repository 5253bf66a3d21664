/**
 * Archives of files whose names lead elsewhere, with other files in all the places that they lead to. Each transcript has a
 * length of its own, by which it is known whatever it is called.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { zip } from '../readers/lines/zip.ts'

const transcript = (length: number) =>
  Buffer.from(
    `{"messages":[{"role":"user","content":"${'x'.repeat(length)}"},{"role":"assistant","content":"Yes."}]}\n`,
  )

/** By the name in the archive; the second of one name replaces the first. */
const members: readonly (readonly [name: string, length: number, shown: string | null])[] = [
  ['../a.jsonl', 100, 'a.jsonl'],
  ['../../b.jsonl', 200, 'b.jsonl'],
  ['c/../d.jsonl', 300, 'c/d.jsonl'],
  ['./e.jsonl', 400, 'e (2).jsonl'],
  ['e.jsonl', 500, 'e.jsonl'],
  ['e//e.jsonl', 600, 'e/e.jsonl'],
  ['/tmp/f.jsonl', 700, 'tmp/f.jsonl'],
  ['..\\g.jsonl', 800, 'g.jsonl'],
  ['C:\\h.jsonl', 900, 'C:/h.jsonl'],
  ['i.jsonl\0.jsonl', 1000, 'i.jsonl\uFFFD.jsonl'],
  ['j.jsonl', 1100, null],
  ['j.jsonl', 1200, 'j.jsonl'],
  ['\u00e9.jsonl', 1300, '\u00e9.jsonl'],
  ['e\u0301.jsonl', 1400, 'e\u0301.jsonl'],
  ['k.zip!/l.jsonl', 1500, 'k.zip!/l.jsonl'],
]

/**
 * @param cwd not the top of what may be written to: names lead above it
 * @returns what is in the archives `x.zip` and `y.zip`, and in `y.zip!/z.zip`, by name the length
 */
export function writeHostileArchives(cwd: string) {
  const put = (name: string, bytes: Buffer) => {
    mkdirSync(dirname(join(cwd, name)), { recursive: true })
    writeFileSync(join(cwd, name), bytes)
  }
  const packed = zip(members.map(([name, length]) => ({ name, bytes: transcript(length) })))
  put('x.zip', packed)
  const lengths: Record<string, number> = {}
  for (const [name, length, shown] of members) {
    if (shown !== null) lengths[`x.zip!/${shown}`] = length
    // What the name of a file that was found leads to where it is taken for a path.
    if (!/[\0\\]/.test(name)) {
      put(join('x.zip!', name), transcript(9_000))
      put(join('y.zip!', name), transcript(9_000))
    }
    if (shown !== null) put(join('x.zip!', shown), transcript(9_000))
  }
  // Two archives, of which one seems to lie in the other.
  put('y.zip', zip([{ name: 'z.zip!/a.jsonl', bytes: transcript(2100) }]))
  put('y.zip!/z.zip', zip([{ name: 'a.jsonl', bytes: transcript(2200) }]))
  lengths['y.zip!/z.zip!/a.jsonl'] = 2100
  const nested = { 'y.zip!/z.zip!/a.jsonl': 2200 }
  for (const length of Object.values({ ...lengths, nested: 2200 })) put(`plain/${length}.jsonl`, transcript(length))
  return { lengths, nested }
}

/** By name what `ctxwin simulate -O json` says of each transcript that tells its length. */
export function figuresIn(stdout: string): Record<string, number> {
  const { runs } = JSON.parse(stdout) as { runs: { transcript: string; peakTokens: number }[] }
  return Object.fromEntries(runs.map((run) => [run.transcript, run.peakTokens]))
}
