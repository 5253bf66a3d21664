/**
 * `mini-swe-ingest`: mini-SWE-agent has no policy for its history; it cuts an observation when it comes. Of 10,000
 * characters or more, the first and the last 5,000 stay, with the number of those between.
 *
 * Law: whole pairs, sticky; it breaks no prompt cache, as nothing changes later. Worked example: 9,999 characters stay
 * whole; of 10,000 the line about 0 elided characters is added.
 */
import { integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { composed } from '../knobs/knobs.ts'

export default definePolicy({
  name: 'mini-swe-ingest',
  version: '1',
  summary: 'cut a tool result of 10,000 characters or more down to its ends when it comes',
  source: 'SWE-agent/mini-swe-agent a83fcae8, src/minisweagent/config/mini.yaml (2026)',
  trigger: 'not used; acts when a result comes',
  unlike: '`truncate-tool-results` keeps one end by default and counts tokens of four bytes',
  params: {
    most: integer({ default: 10_000, min: 2, help: 'results of at least this many characters are cut' }),
  },
  wholePairs: true,
  budgetless: true,
  text: true,
  start({ most }) {
    const half = Math.floor(most / 2)
    return composed({
      trigger: 'ingest',
      unit: 'result',
      protect: `shorter:${most}`,
      operation: 'mask',
      target: 'all',
      text: `<output_head>\n{head:${half}}\n</output_head>\n<elided_chars>\n{rest:${2 * half}} characters elided\n</elided_chars>\n<output_tail>\n{tail:${half}}\n</output_tail>`,
    })
  },
})
