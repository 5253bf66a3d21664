/**
 * Writes what reached the models of docs/turn-on.md's examples into test/live/adapters.data.json, which every `npm test` looks at:
 *
 *   npm ci --ignore-scripts --prefix tools/adapters && npm run build && node tools/adapters/write.mjs
 *
 * pi wants Node 22.19.
 */
import { writeFileSync } from 'node:fs'
import { digestOf, examples, programs, requestsOf } from './agents.mjs'

const answers = {}
for (const name of Object.keys(programs)) {
  const requests = await requestsOf(name)
  answers[name] = {
    example: digestOf(examples()[name]),
    requests: requests.map(({ system, sent }) => ({ system, sent })),
  }
}
const lines = Object.entries(answers).map(([name, { example, requests }]) => {
  const rows = requests.map((request) => `    ${JSON.stringify(request)}`)
  return `  ${JSON.stringify(name)}: {\n   "example": "${example}",\n   "requests": [\n${rows.join(',\n')}\n   ]\n  }`
})
writeFileSync(new URL('../../test/live/adapters.data.json', import.meta.url), `{\n${lines.join(',\n')}\n}\n`)
