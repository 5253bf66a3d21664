/**
 * Finds what references need in a text: in WebAssembly, several times faster than in TypeScript, where that is safe. Both find
 * the same, which the tests demand of any text.
 */
import { isWasmSafe } from '../../base/wasm.ts'
import { type Find, findInTypescript } from './find.ts'
import { findInKernel } from './kernel.ts'

export const find: Find = (text, cwd, takeTerm, takePiece) =>
  (isWasmSafe() ? findInKernel : findInTypescript)(text, cwd, takeTerm, takePiece)
