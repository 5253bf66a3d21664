/**
 * Does `copied` tell what was taken over from what was not? Commands and prose that agents sent to tools are drawn by chance, whatever the
 * measure says of them, and a person judges each by reading: could it only be written with a passage of a line or more in front of
 * it that stood in the window (1), or not (0)? Sessions with a recorded cut are left out, so that the window is the history.
 *
 *   npm run build && node bench/truth/copies.mjs draw [--size 100] [--seed 1] FOLDER…          # to be read: each with what is most like it
 *   node bench/truth/copies.mjs score bench/truth/copies-labels.tsv [--size 100] [--seed 1] FOLDER…
 *
 * The labels have file, line, kind and judgement, and no text.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { readSources } from '../../dist/app/files/read-sources.js'
import { choose, estimators } from '../../dist/app/index.js'
import { copyKinds } from '../../dist/model/run.js'
import { sentByCall, textsOf, writtenByCall } from '../../dist/references/content/taken-over.js'
import { anchorLength } from '../../dist/references/copied/anchors.js'
import { copiesOf } from '../../dist/references/copied/lost-copies.js'
import { toolTargets } from '../../dist/references/targets/tool-target.js'
import { parsedInput } from '../../dist/references/terms/extractor.js'
import { random } from './random.mjs'
import { filesIn, sourcesOf, table, unread } from './transcripts.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { size: { type: 'string', default: '100' }, seed: { type: 'string', default: '1' } },
})
const [verb, ...rest] = positionals
const labels = verb === 'score' ? readFileSync(rest.shift(), 'utf8') : ''
const half = Number(values.size) / 2
/** In characters, with each path as one: what is shorter is nearly always a name. */
const shortest = 200
const lengthOf = (text) => text.replace(/[\w.\-/\\~:@%+=&?#]{16,}/g, (word) => (/[/\\]/.test(word) ? '/' : word)).length

const plan = { policies: [], estimators: [choose(estimators.get('bytes'))], budgets: [], references: true }
const drawn = { command: [], prose: [] }
const seen = { command: 0, prose: 0 }
const numbers = random(Number(values.seed))

/** What a call of the message sends to tools: all texts of a kind together. */
function textsByKind(message) {
  const texts = new Map(Object.keys(drawn).map((kind) => [kind, []]))
  for (const block of message.blocks) {
    if (block.type !== 'call') continue
    const input = parsedInput(block.input)
    const sent = sentByCall(block.name, textsOf(input), writtenByCall(textsOf(input), toolTargets(block.name, input)))
    for (const { text, kind } of sent) if (lengthOf(text) >= shortest) texts.get(kind)?.push(text)
  }
  return texts
}

function take(trace, copyOf) {
  if (copyOf !== null || trace.compactions.length + trace.clearings.length > 0) return []
  const copies = copiesOf(trace, trace.digest)
  const file = trace.head.file.split('/').slice(-2).join('/')
  let request = -1
  for (let index = 0; index < trace.length; index++) {
    if (trace.isResponse(index)) request++
    const message = trace.messages[index]
    if (message.role !== 'assistant' || request < 0) continue
    for (const [kind, texts] of textsByKind(message)) {
      if (texts.length === 0) continue
      // Vitter's reservoir: each text of all files is as likely as any other of its kind.
      const place = seen[kind]++ < half ? seen[kind] - 1 : Math.floor(numbers.next().value * seen[kind])
      if (place >= half) continue
      const text = texts.join('\n')
      const copied = copiedBy(copies, request, index, copyKinds.indexOf(kind))
      const end = trace.requestAt(request)
      const alike = () => mostLike(trace, end, text)
      drawn[kind][place] = { file, line: trace.line(index), kind, text, copied, alike }
    }
  }
  return []
}

/** In characters. */
function copiedBy({ starts, message, kind, anchorStarts, at }, request, index, wanted) {
  let sum = 0
  for (let copy = starts[request]; copy < starts[request + 1]; copy++)
    if (message[copy] === index && kind[copy] === wanted)
      sum += at[anchorStarts[copy + 1] - 1] + anchorLength - at[anchorStarts[copy]]
  return sum
}

const wordsOf = (text) => [...text.matchAll(/[\p{L}\p{N}_]+/gu)]
const groupsOf = (words) =>
  words.slice(3).map((_, at) =>
    words
      .slice(at, at + 4)
      .map(([word]) => word)
      .join(' '),
  )

/**
 * The passage before message `end` with the most words in a row of which every four stand in the text: a search that has nothing of the
 * measure's. Commands and what the agent said are no sources.
 */
function mostLike(trace, end, text) {
  const wanted = new Set(groupsOf(wordsOf(text)))
  let best = { words: 0, line: 0, passage: '' }
  for (let index = 0; index < end; index++) {
    if (trace.isReset(index)) best = { words: 0, line: 0, passage: '' }
    const message = trace.messages[index]
    const texts = message.blocks.flatMap((block) => {
      if (block.type === 'text') return message.role === 'assistant' ? [] : [block.text]
      if (block.type !== 'call') return []
      const texts = textsOf(parsedInput(block.input))
      return writtenByCall(texts, toolTargets(block.name, texts.input)).map((one) => one.text)
    })
    for (const one of texts) {
      const words = wordsOf(one)
      let run = 0
      for (const [at, group] of groupsOf(words).entries()) {
        run = wanted.has(group) ? run + 1 : 0
        if (run === 0 || run + 3 <= best.words) continue
        const last = words[at + 3]
        const passage = one.slice(words[at - run + 1].index, last.index + last[0].length)
        best = { words: run + 3, line: trace.line(index), passage }
      }
    }
  }
  return best
}

for await (const _ of readSources(sourcesOf(filesIn(rest)), plan, { keepMessages: true }, take, unread));
const all = Object.values(drawn).flat()

if (verb === 'draw') {
  const flat = (text, most) => text.slice(0, most).replace(/\s+/g, ' ')
  for (const [nth, { file, line, kind, text, alike }] of all.entries()) {
    const { words, line: source, passage } = alike()
    console.log(`\n${nth + 1}. ${file}\t${line}\t${kind} (${text.length} characters)\n   ${flat(text, 600)}`)
    console.log(`   ${words} words at ${source}: ${flat(passage, 240)}`)
  }
} else {
  const judged = new Map(
    labels
      .trim()
      .split('\n')
      .map((row) => [row.slice(0, row.lastIndexOf('\t')), row.at(-1)]),
  )
  const rows = ['all', ...Object.keys(drawn)].map((of) => {
    const list = all.filter(({ kind }) => of === 'all' || kind === of)
    const scores = list.map(({ file, line, kind, copied, text }) => {
      const label = judged.get(`${file}\t${line}\t${kind}`)
      if (label === undefined) throw new Error(`${file}:${line} (${kind}) has no label`)
      return { isTaken: label === '1', score: copied / text.length }
    })
    const [taken, others] = [true, false].map((is) => scores.filter(({ isTaken }) => isTaken === is))
    const wins = taken.flatMap(({ score }) =>
      others.map((other) => (score > other.score ? 1 : score === other.score ? 0.5 : 0)),
    )
    const auc = wins.reduce((sum, one) => sum + one, 0) / wins.length
    const found = (of) => of.filter(({ score }) => score > 0).length
    return [of, list.length, taken.length, found(taken), found(others), auc.toFixed(2)]
  })
  console.log(table([['kind', 'texts', 'taken over', 'found to copy', 'of the others', 'AUC'], ...rows]))
}
