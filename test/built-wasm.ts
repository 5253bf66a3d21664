/** Builds what tests of src/ need besides src/ itself: the WebAssembly modules, where they are older than their source. */
import { execFileSync } from 'node:child_process'

export default function setup(): void {
  execFileSync(process.execPath, ['tools/build/wasm.mjs'], { stdio: 'inherit' })
}
