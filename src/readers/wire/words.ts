/** By what a text of people or models, and the name of a key, are told from others. */

/** What people and models write is read to be that by its first words. */
const looked = 400

/** Words, and no path or address, which may have spaces, too. */
export function isSentence(text: string): boolean {
  const start = text.slice(0, looked)
  return /\p{L}\s+\p{L}|\p{Lo}{2}/u.test(start) && !/^(?:[~.]*[\\/]|[A-Za-z]:[\\/]|[a-z]+:\/\/)/.test(start)
}

/** What stands for words, such as encrypted reasoning, is longer than most ids. */
const longestId = 80

/** Words, or what stands for them. */
export const isText = (text: string): boolean => text.length > longestId || isSentence(text)

/** Whether two names have a word in common that says what is meant. */
export function isLike(one: string, other: string): boolean {
  const [words, others] = [wordsOf(one), wordsOf(other)]
  return others.some((word) => words.some((same) => same.startsWith(word) || word.startsWith(same)))
}

function wordsOf(name: string): string[] {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/)
  return words.filter((word) => word.length > 3 && !/^(?:tokens?|counts?|total|number)$/.test(word))
}

/** A key that a program gave: others may be somebody's text. */
export const isName = (key: string): boolean => /^[A-Za-z_$][\w$-]{0,39}$/.test(key)
