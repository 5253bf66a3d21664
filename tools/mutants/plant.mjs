/**
 * Plants a fault in the source of a module as it is loaded. The file itself stays as it is.
 *
 * @typedef {{
 *   readonly name: string
 *   readonly file: string
 *   readonly text: string
 *   readonly becomes: string
 *   readonly why: string
 *   readonly tests: readonly string[]
 * }} Mutant
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @param {string} source
 * @param {Mutant} mutant
 * @throws where the text does not stand in the source exactly once
 */
export function planted(source, { name, file, text, becomes }) {
  const parts = source.split(text)
  if (parts.length !== 2) {
    const found = parts.length === 1 ? 'does not occur' : `occurs ${parts.length - 1} times`
    throw new Error(
      `${name}: its text ${found} in ${file}. Say in tools/mutants/list.mjs how the code reads now; take the fault out only where it cannot be made any more`,
    )
  }
  return parts.join(becomes)
}

/**
 * What of a list no longer fits the code: each thing a line.
 *
 * @param {readonly Mutant[]} mutants
 * @param {string} root
 * @returns {string[]}
 */
export function outdated(mutants, root) {
  const names = mutants.map(({ name }) => name)
  return mutants.flatMap((mutant, at) => {
    const { name, file, tests } = mutant
    const lines = names.indexOf(name) < at ? [`${name}: there are two faults of that name`] : []
    if (tests.length === 0) lines.push(`${name}: it names no test that should find it`)
    for (const test of tests) if (!existsSync(join(root, test))) lines.push(`${name}: there is no test ${test}`)
    if (!existsSync(join(root, file))) return [...lines, `${name}: there is no file ${file}`]
    try {
      planted(readFileSync(join(root, file), 'utf8'), mutant)
    } catch (error) {
      lines.push(error.message)
    }
    return lines
  })
}
