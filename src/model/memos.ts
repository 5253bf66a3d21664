/**
 * What has been found out of a transcript and is the same under every policy and budget, as plain data. It is kept with what
 * was read of the transcript: a later run need not find it out again.
 */

/** By what was found, and the key of all that it depends on besides the transcript and how it was read. */
export type Memos = Map<string, unknown>
