/** What a probe of one request found, with hostile words in all that comes from elsewhere. */
import { foundIn, usageOf } from '../../../src/app/probe/result.ts'
import type { Answer, NextAction } from '../../../src/model/probe.ts'
import type { ProbeResult } from '../../../src/model/probe-result.ts'

export const nasty = '</script><script>alert(1)</script>\u001b[2J\u202egnp.exe\u200b'

const answerOf = (action: NextAction): Answer => ({ action, stop: null, model: null, usage: null })
export const read = (file: string): NextAction => ({ calls: [{ name: 'Read', input: { file_path: file } }], text: '' })

/** @param again what the policy’s window gives the second time */
export function probeOf(full: NextAction, policy: NextAction, again = policy): ProbeResult {
  const probe = {
    session: 's',
    file: `${nasty}.jsonl`,
    line: 1200,
    request: 6,
    loss: 'content',
    age: 'to 5',
    tool: nasty,
    weight: 1,
    cwd: null,
    recorded: full,
    preamble: 'recorded',
    left: 3,
    used: [{ line: 4, text: `first${nasty}\nsecond` }],
    keys: ['a', 'b', 'c', 'd'],
  } as const
  return {
    schemaVersion: 1,
    dryRun: false,
    about: {
      policy: 'drop-steps',
      params: { keepLast: 2 },
      budget: 50_000,
      model: nasty,
      api: 'chat',
      seed: 1,
      transcripts: 1,
      requests: 9,
      differing: 3,
      unprobed: { preamble: 0, headless: 0, sealed: 0, unwritten: 0, media: 0, refused: 0, large: 0 },
      planned: 1,
      among: 1,
    },
    failed: { requests: 0, reasons: [] },
    dollars: 1.234,
    unused: 0,
    lost: { tries: 0, dollars: 0 },
    used: usageOf([], []),
    sessions: [],
    estimated: { cold: null, cached: null },
    power: null,
    counted: [],
    diagnostics: [],
    ...foundIn([{ probe, answers: [answerOf(full), answerOf(full), answerOf(policy), answerOf(again)] }]),
  }
}
