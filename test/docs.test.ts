/** Every figure is defined where a user would look. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { runColumns } from '../src/reports/columns.ts'

const docs = new URL('../docs/', import.meta.url)
const metrics = readFileSync(new URL('metrics.md', docs), 'utf8')

/** The parts of the references that have the same counts each are written once. */
function written(key: string): string {
  const part = /^references\.(byClass|user|assistant|headline|warm)\./.exec(key)?.[1]
  if (part) return `references.${part}.…`
  return key.startsWith('cutoff.') ? key.slice('cutoff.'.length) : key
}

describe('docs/metrics.md', () => {
  it.each(runColumns.map(({ key }) => key))('defines %s', (key) => expect(metrics).toContain(`\`${written(key)}\``))
})
