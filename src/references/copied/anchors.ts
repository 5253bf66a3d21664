/** Anchors of a text, as wasm/references/anchors.ts finds them. */

/** In characters. */
export const anchorLength = 16
