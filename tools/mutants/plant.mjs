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

/**
 * @param {string} source
 * @param {Mutant} mutant
 * @throws where the text does not stand in the source exactly once
 */
export function planted(source, { name, file, text, becomes }) {
  const parts = source.split(text)
  if (parts.length !== 2) {
    const found = parts.length === 1 ? 'does not occur' : `occurs ${parts.length - 1} times`
    throw new Error(`${name}: its text ${found} in ${file}; tools/mutants/list.mjs has to be kept up with the code`)
  }
  return parts.join(becomes)
}
