/**
 * Finds what references need in a text: in WebAssembly, several times faster than in TypeScript, where there is room for it. Both find
 * the same, which the tests demand of any text.
 */
import { fingerprint } from '../../base/fingerprint.ts'
import { usesWasm } from '../../base/wasm.ts'
import { type Find, findInTypescript } from './find.ts'
import { findInKernel, fingerprintInKernel } from './kernel.ts'

export const find: Find = (text, cwd, takeTerm, takePiece, takeAnchors) =>
  (usesWasm() ? findInKernel : findInTypescript)(text, cwd, takeTerm, takePiece, takeAnchors)

/** As `fingerprint` of src/base/fingerprint.ts: for long texts. */
export const fingerprintOf = (texts: readonly string[]): number =>
  (usesWasm() ? fingerprintInKernel : fingerprint)(texts)
