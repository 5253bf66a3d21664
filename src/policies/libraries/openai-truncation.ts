/**
 * `openai-truncation`: `truncation: auto` of OpenAI's Responses API. If the input exceeds the model's window, the
 * server drops items from the beginning of the conversation until it fits; older documents said from the middle.
 * Without it (`disabled`) the request fails. `retain` is the Realtime API's `retention_ratio`: a cut goes down to that
 * share, so the next requests find their prompt in the cache.
 *
 * How the server cuts is not published. Here single messages leave, and results whose call has left leave with them.
 *
 * Law: sticky; with `from=beginning` and `retain=1` monotone in practice, not promised. Worked example, messages of one
 * token and a window of 3: of five the last three stay; `from=middle` keeps the first two and the last.
 */
import { choice, number } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { composed } from '../knobs/knobs.ts'

export default definePolicy({
  name: 'openai-truncation',
  version: '1',
  summary: 'the API drops the oldest messages when the input exceeds the window',
  source: 'platform.openai.com, Responses API `truncation`, Realtime API `retention_ratio` (2026-11)',
  ownBudget: 'window',
  trigger: "the model's window; acts above it",
  unlike: '`drop-messages` leaves results without their call; `openai-compact` puts an item in the place',
  params: {
    from: choice({ default: 'beginning', of: ['beginning', 'middle'], help: 'where messages leave' }),
    retain: number({ default: 1, min: 0, max: 1, help: 'share of the window that a cut leaves' }),
  },
  serverSide: true,
  availableIn: ['openai'],
  turnOn: ({ from, retain }) =>
    from === 'middle'
      ? null
      : retain < 1
        ? {
            file: 'the session',
            text: `"truncation": {"type":"retention_ratio","retention_ratio":${retain}}`,
            note: 'Realtime API',
          }
        : { file: 'the request', text: '"truncation": "auto"' },
  start: ({ from, retain }) =>
    composed({
      ...(from === 'middle' && { unit: 'batch', order: 'middle' }),
      protect: 'nothing',
      target: `watermark:${retain}`,
      repair: 'results',
    }),
})
