// Measures the precision of term extraction on a sample. It is drawn by hash, so it can be drawn again and re-scored.
//
//   node bench/references/sample.mjs draw <per class> <transcript…>            prints class, hash, key, context
//   node bench/references/sample.mjs score <labels.tsv> <per class> <transcript…>   precision by class
//
// A line of labels is `class TAB hash TAB 1|0`, without content. Needs `npm run build`.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { termClasses } from '../../dist/model/run.js'
import { createExtractor } from '../../dist/references/terms/extractor.js'
import { normalCwd } from '../../dist/references/terms/paths.js'
import { TermTable } from '../../dist/references/terms/term-table.js'

const classes = ['path', 'url', 'error', 'id', 'target', 'identifier', 'number']
const sha = (text) => createHash('sha256').update(text).digest('hex').slice(0, 16)

function records(text) {
  try {
    return [JSON.parse(text)]
  } catch {
    return text.split('\n').flatMap((line) => {
      try {
        return [JSON.parse(line)]
      } catch {
        return []
      }
    })
  }
}

// A crude walk for all formats: only fields with messages, tool inputs and tool results.
const spoken = new Set(['text', 'content', 'message', 'output', 'stdout', 'result', 'aggregated_output', 'response'])
const inputs = new Set(['input', 'arguments', 'args'])

function* blocks(value, field = '') {
  if (typeof value === 'string') {
    if (spoken.has(field)) yield { text: value }
  } else if (Array.isArray(value)) {
    for (const item of value) yield* blocks(item, field)
  } else if (value !== null && typeof value === 'object') {
    const name = value.name ?? value.toolName ?? value.tool
    for (const [key, inner] of Object.entries(value)) {
      if (inputs.has(key) && typeof name === 'string') yield { name, input: inner }
      else if (inner !== null && (typeof inner === 'object' || spoken.has(key))) yield* blocks(inner, key)
    }
  }
}

function cwdOf(parsed) {
  for (const record of parsed) {
    const cwd = record?.cwd ?? record?.payload?.cwd ?? record?.info?.directory
    if (typeof cwd === 'string') return cwd
  }
  return undefined
}

function context(text, key) {
  const at = text.indexOf(key)
  return at < 0 ? '' : JSON.stringify(text.slice(Math.max(0, at - 30), at + key.length + 30))
}

/** The `each` terms of every class with the lowest hashes, each (file, class, key) once, spread over the files. */
function draw(files, each) {
  const drawn = new Map()
  for (const file of files) {
    const parsed = records(readFileSync(file, 'utf8'))
    const cwd = cwdOf(parsed)
    const table = new TermTable()
    const term = table.add.bind(table)
    const extractor = createExtractor(normalCwd(cwd), { term, piece: null })
    let taken = 0
    for (const block of blocks(parsed)) {
      if (block.name === undefined) extractor.text(block.text)
      else extractor.call(block.name, block.input)
      // Each term stands where it occurs first.
      for (; taken < table.keys.length; taken++) {
        const [termClass, key] = [termClasses[table.classes[taken]], table.keys[taken]]
        const hash = sha(`${basename(file)}\0${termClass}\0${key}`)
        if (!drawn.has(hash))
          drawn.set(hash, { termClass, hash, key, context: context(block.text ?? JSON.stringify(block.input), key) })
      }
    }
  }
  const terms = [...drawn.values()].sort((a, b) => (a.hash < b.hash ? -1 : 1))
  return classes.flatMap((termClass) => terms.filter((term) => term.termClass === termClass).slice(0, each))
}

const [command, ...rest] = process.argv.slice(2)
if (command === 'draw' && rest.length > 1) {
  for (const { termClass, hash, key, context } of draw(rest.slice(1), Number(rest[0]))) {
    console.log([termClass, hash, key, context].join('\t'))
  }
} else if (command === 'score' && rest.length > 2) {
  const verdicts = new Map(
    readFileSync(rest[0], 'utf8')
      .trim()
      .split('\n')
      .map((line) => [line.split('\t')[1], line.split('\t')[2]]),
  )
  const drawn = draw(rest.slice(2), Number(rest[1]))
  for (const termClass of classes) {
    const labelled = drawn.filter((term) => term.termClass === termClass && verdicts.has(term.hash))
    const right = labelled.filter((term) => verdicts.get(term.hash) === '1').length
    const unlabelled = drawn.filter((term) => term.termClass === termClass).length - labelled.length
    console.log(
      [termClass, `${right}/${labelled.length}`, unlabelled > 0 ? `${unlabelled} not labelled` : ''].join('\t'),
    )
  }
} else {
  console.error('usage: sample.mjs draw <per class> <transcript…> | score <labels.tsv> <per class> <transcript…>')
  process.exitCode = 2
}
