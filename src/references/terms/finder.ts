/** Finds what references need in a text, in WebAssembly where that may be used. */
import { fingerprint } from '../../base/fingerprint.ts'
import { usesWasm } from '../../base/wasm.ts'
import type { Find } from './find.ts'
import { findInTwin, findInWasm, fingerprintInWasm } from './kernel.ts'

export const find: Find = (text, cwd, takeTerm, takePiece, takeAnchors) =>
  (usesWasm() ? findInWasm : findInTwin)(text, cwd, takeTerm, takePiece, takeAnchors)

/** As `fingerprint` of src/base/fingerprint.ts: for long texts. */
export const fingerprintOf = (texts: readonly string[]): number => (usesWasm() ? fingerprintInWasm : fingerprint)(texts)
