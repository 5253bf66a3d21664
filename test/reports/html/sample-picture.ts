import type { SessionPicture } from '../../../src/model/session-picture.ts'

/** A session of so many requests, each with 100 tokens more than the one before; half of it leaves in the middle. */
export function pictureOf(requests: number, words = 'Mend the login page'): SessionPicture {
  const list = (of: (request: number) => number) => Array.from({ length: requests }, (_, request) => of(request))
  const half = Math.ceil(requests / 2)
  return {
    transcript: 'session.jsonl',
    conversation: null,
    title: words,
    model: words,
    estimator: 'bytes',
    preambleSource: 'none',
    unit: 'usd',
    modelWindow: 200_000,
    requests,
    requestsPerColumn: 1,
    columns: requests,
    recorded: [{ request: half - 1, kind: 'compaction' }],
    exchanges: [
      { exchange: 0, from: 0, to: half, title: words, firstLine: 1, lastLine: 9, tokens: 5000, tools: [[words, 3]] },
      { exchange: 1, from: half, to: requests, title: words, firstLine: 10, lastLine: 20, tokens: 5000, tools: [] },
    ],
    runs: [
      {
        policy: 'ikigai',
        params: {},
        budget: 100_000,
        largest: list((request) => request),
        sent: list((request) => 50_000 + 100 * request),
        parts: [
          { kind: 'preamble', tool: null, tokens: list(() => 20_000), share: 40 },
          { kind: 'user', tool: null, tokens: list(() => 10_000), share: 20 },
          { kind: 'tool', tool: words, tokens: list((request) => 20_000 + 100 * request), share: 40 },
        ],
        cuts: [{ request: half, cuts: 1, tokensBefore: 90_000, tokensAfter: 40_000, rule: half - 1 }],
        cache: {
          read: list(() => 40_000),
          added: list(() => 1000),
          missed: list((request) => (request === half ? 9000 : 0)),
          readCost: list(() => 0.02),
          addedCost: list(() => 0.01),
          missedCost: list((request) => (request === half ? 0.1 : 0)),
        },
        absences: [{ exchange: 0, from: half, to: null }],
        arcs: [
          {
            from: 1,
            to: requests - 1,
            uses: 3,
            examples: [{ term: words, line: 90, seenLine: 4 }],
          },
        ],
        costInput: 3,
        costSummaries: 0,
      },
    ],
  }
}

export const width = 960
