/** The occurrences of things that can be lost (terms, or pieces of content), linked to their earlier occurrences. */
export interface Occurrences {
  /** The message of each occurrence. */
  readonly message: Int32Array
  /** The previous occurrence of the same thing, and the previous one that is a source; -1 for none. */
  readonly older: Int32Array
  readonly olderSource: Int32Array
}
