/**
 * What V8 is told before it compiles anything of ours. It optimises for runs of minutes: what it optimises in the first
 * second of a run seldom pays for that. The thresholds are those that took least processor time over sessions of 1 to
 * 400 MB (bench/README.md); each version has other words for them, and says on stderr that it does not know those of
 * others.
 */

/**
 * Young objects get all their room at once. In four steps, all that the program is made of is copied in each of them.
 */
const roomAtOnce = '--semi-space-growth-factor=16'

/**
 * @param hasRoom whether there is address space for that room at once
 * @param major of a version of Node, by default the one that runs
 * @returns none for a version that nobody has measured
 */
export function v8Flags(hasRoom: boolean, major = Number.parseInt(process.versions.node, 10)): readonly string[] {
  const room = hasRoom ? [roomAtOnce] : []
  // V8 of these versions crashes where it inlines calls into WebAssembly (src/base/wasm.ts).
  if (major < 22) return [...room, '--interrupt-budget=600000', '--no-turbo-inline-js-wasm-calls']
  // These versions have no Maglev, the compiler between the interpreter and the optimising one.
  if (major < 24) return [...room, '--invocation-count-for-turbofan=15000']
  if (major < 27) return [...room, '--invocation-count-for-maglev=2500', '--invocation-count-for-turbofan=30000']
  return []
}
