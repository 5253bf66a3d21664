/**
 * The door of the module that finds terms, pieces of content and anchors in a text, and tells whether texts are the
 * same. src/references/terms/kernel.ts is its host.
 */

export { findAnchors } from './references/anchors'
export { addTag } from './references/boilerplate'
export { kinds, room } from './references/characters'
export { addToFingerprint, beginFingerprint } from './references/fingerprint'
export { setCwd } from './references/paths'
export { findPieces, pieces } from './references/pieces'
export { scan } from './references/scan'
export { keys, records } from './references/terms'
export { endsUrl, neverLast } from './references/urls'
export { addErrorName } from './references/words'
