/** Where a thing that can be lost was said, and where it was said before that: a term, or a piece of content. */
export interface Occurrences {
  /** The message of each occurrence. */
  readonly message: Int32Array
  /** The occurrence of the same thing before it, and the one before it that is a source; -1 for none. */
  readonly older: Int32Array
  readonly olderSource: Int32Array
}
