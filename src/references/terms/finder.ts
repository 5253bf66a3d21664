/**
 * Finds what references need in a text: in WebAssembly, several times faster than in TypeScript, where there is room for it. Both find
 * the same, which the tests demand of any text.
 */
import { usesWasm } from '../../base/wasm.ts'
import { type Find, findInTypescript } from './find.ts'
import { findInKernel } from './kernel.ts'

export const find: Find = (text, cwd, takeTerm, takePiece, takeAnchors) =>
  (usesWasm() ? findInKernel : findInTypescript)(text, cwd, takeTerm, takePiece, takeAnchors)
