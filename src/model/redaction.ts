/** Pseudonyms for what stands in transcripts: for words, paths and ids, wherever they are printed. */
export interface Redaction {
  /** Of any text, of a path, of an id: word for word, each as long as it was. */
  text(text: string): string
  /** Of a file: as its path, but for the ending. */
  file(name: string): string
  /** Of a tool. */
  tool(name: string): string
  /** Of a model. */
  model(name: string): string
  /** Of a message, a request, or what else is written as JSON: keys of the format stay. */
  json<T>(value: T): T
}

/** Everything as it was read. */
export const plainly: Redaction = {
  text: (text) => text,
  file: (name) => name,
  tool: (name) => name,
  model: (name) => name,
  json: (value) => value,
}
