/** A page of the documentation as a terminal shows it. */
import { describe, expect, it } from 'vitest'
import { renderTopic } from '../../../src/cli/output/render-topic.ts'

const topicOf = (href: string) => /^(cost|faq)\.md/.exec(href)?.[1] ?? null
const rendered = (markdown: string, { width = 40, color = false } = {}) =>
  [...renderTopic(markdown, topicOf, { width, color })].join('')

describe('a page of the documentation', () => {
  it('is text of the width of the terminal, with its headings, lists and code', () => {
    const markdown = `# What \`pruning\` costs

<!-- made by a program -->
Look at the *money*,
not at the **tokens**: a \`token
of input\` is cheap.

- a request that is smaller than the least prefix
- a list
  1. in a list

\`\`\`sh
ctxwin simulate session.jsonl --budget 50k

ctxwin history session.jsonl
\`\`\`

![A session](session.svg)
`
    expect(rendered(markdown)).toBe(`# What \`pruning\` costs

Look at the money, not at the tokens: a
\`token of input\` is cheap.

- a request that is smaller than the
  least prefix
- a list
  1. in a list

    ctxwin simulate session.jsonl --budget 50k

    ctxwin history session.jsonl

[picture: A session]
`)
  })

  it('names the pages that its links lead to once, and spells out the addresses of others', () => {
    const markdown =
      'See [cost](cost.md#the-arithmetic), [it](cost.md), [questions](faq.md), [code](../src/a.ts), [MIN](https://doi.org/1) and <https://a.example>.'
    expect(rendered(markdown, { width: 200 })).toBe(
      'See cost, it, questions, code, MIN <https://doi.org/1> and https://a.example.\n\nSee also: ctxwin help cost, faq\n',
    )
  })

  it('draws a table that has room, and writes out the rows of one that has none', () => {
    const markdown = `| key | | n |
|---|---|---:|
| \`a\` | the first of all the letters | 1 |
| \`b\` | | 20 |
`
    expect(rendered(markdown, { width: 60 })).toBe(`key                                 n
───  ────────────────────────────  ──
\`a\`  the first of all the letters   1
\`b\`                                20
`)
    expect(rendered(markdown, { width: 36 })).toBe(`\`a\`
  the first of all the letters
  n: 1

\`b\`
  n: 20
`)
  })

  it('has underlined headings where there are colours, and nothing else', () => {
    expect(rendered('# A\n\nb **c**', { color: true })).toBe('\u001b[4m# A\u001b[24m\n\nb c\n')
  })
})
