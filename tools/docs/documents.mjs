/**
 * Generates the tables of docs/documents.md from test/documents/statements.data.json and from the cards of the policies:
 * `npm run renew` writes them between the marks. test/documents/statements.test.ts fails when they are stale.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { begin, capital, end, point, renew, row, table } from './policies.mjs'

const linked = (names) => names.map((name) => `[\`${name}\`](policies.md#${name})`).join(', ')

/** Where a policy's document and the program say two things. */
const differences = ({ name, differs = [] }) =>
  differs.length === 0
    ? []
    : [
        `Where the document of \`${name}\` and the program differ:`,
        differs
          .map(({ matter, document, program }) =>
            point(capital(matter), `${document === '-' ? '' : `the document: ${document}. `}The program: ${program}.`),
          )
          .join('\n'),
      ]

function section({ title, policies, tests, statements }, policyOf) {
  const held = statements.filter((statement) => statement.held)
  return [
    `## ${title}`,
    `Policies: ${linked(policies)}.`,
    ...differences(policyOf(policies[0])),
    table(
      ['#', 'the document says', 'held by'],
      held.map(({ number, says, held }) => row(number, says, `\`${tests[held][0]}\``)),
    ),
  ]
}

/** The generated part: a section for each document, and then what none of its tests can hold. */
export function generateDocuments(documents, policyOf) {
  const all = Object.values(documents)
  const rest = all.flatMap(({ title, statements }) =>
    statements
      .filter(({ why }) => why)
      .map(({ number, says, why }) => row(number, `${title.split(',')[0]}: ${says}`, why)),
  )
  return [
    begin,
    ...all.flatMap((document) => section(document, policyOf)),
    '## What is not simulated, and why',
    table(['#', 'the document says', 'why no test holds it'], rest),
    end,
  ].join('\n\n')
}

/** @returns the statements, by document */
export const readDocuments = () =>
  JSON.parse(readFileSync(new URL('../../test/documents/statements.data.json', import.meta.url), 'utf8'))

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { policies } = await import('../../dist/policies/index.js')
  const page = new URL('../../docs/documents.md', import.meta.url)
  writeFileSync(
    page,
    renew(
      readFileSync(page, 'utf8'),
      generateDocuments(readDocuments(), (name) => policies.get(name)),
    ),
  )
}
