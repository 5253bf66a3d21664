/** Strings that are kept longer than the text they were cut from. */

/** V8 makes substrings from this length on views of the whole text, so a path would keep its file's text in memory. */
const shortestView = 13

/** The same string, not as a view of a longer text: concatenation creates a new one. Faster than through a buffer. */
export const owned = (text: string): string => (text.length < shortestView ? text : ` ${text}`.slice(1))
