/**
 * Draws reported losses, to be judged by hand: where the term is used, where it stood, and the text around both. The same
 * seed draws the same losses of the same files.
 *
 *   npm run build && node bench/truth/sample.mjs [--of named|content] [--size 100] [--seed 1] [--budget 100000] FOLDER…
 */
import { parseArgs } from 'node:util'
import { simulate } from '../../dist/app/by-plan.js'
import { readSources } from '../../dist/app/files/read-sources.js'
import { choose, estimators, policies } from '../../dist/app/index.js'
import { random } from './random.mjs'
import { filesIn, sourcesOf, unread } from './transcripts.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    of: { type: 'string', default: 'named' },
    size: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    budget: { type: 'string', default: '100000' },
  },
})
const classes = new Set(values.of === 'content' ? ['content'] : ['path', 'url', 'error', 'id', 'target'])
const around = 90

const textOf = ({ blocks }) => blocks.map((block) => block.text ?? JSON.stringify(block.input ?? block.type)).join('\n')

/** What stands around the term, or its last part where it is spelled in another way. */
function snippet(messages, term) {
  const text = messages.map(textOf).join('\n')
  if (term === null) return text.slice(0, 4 * around).replace(/\s+/g, ' ')
  const at = [term, term.split('/').at(-1)].map((word) => text.indexOf(word)).find((found) => found >= 0) ?? 0
  return text.slice(Math.max(0, at - around), at + term.length + around).replace(/\s+/g, ' ')
}

const plan = {
  policies: [choose(policies.get('drop-oldest'))],
  estimators: [choose(estimators.get('auto'))],
  budgets: [Number(values.budget)],
  references: true,
}
const drawn = []
const numbers = random(Number(values.seed))
let seen = 0
function take(trace, copyOf) {
  if (copyOf !== null) return []
  const [run] = simulate(trace, plan, 'reference')
  for (const loss of run.lost ?? []) {
    if (!classes.has(loss.class) || loss.tier !== 'source') continue
    // Vitter's reservoir: each loss of all files is as likely as any other.
    const place = seen++ < Number(values.size) ? seen - 1 : Math.floor(numbers.next().value * seen)
    if (place >= Number(values.size)) continue
    const at = (line) => trace.messages.filter((message) => message.line === line)
    drawn[place] = {
      file: trace.head.file.split('/').at(-1),
      ...loss,
      use: snippet(at(loss.line), loss.term),
      source: snippet(at(loss.sourceLine), loss.term),
    }
  }
  return []
}
for await (const _ of readSources(sourcesOf(filesIn(positionals)), plan, { keepMessages: true }, take, unread));
console.log(`${drawn.length} of ${seen}`)
for (const [index, { file, line, sourceLine, class: kind, term, use, source }] of drawn.entries()) {
  console.log(`\n${index + 1}. ${file}:${line} (${kind}) ${term}\n   use: ${use}\n   source ${sourceLine}: ${source}`)
}
