/** Marsaglia's xorshift on 32 bits: numbers from 0 to 1. */
export function* random(seed) {
  for (let state = seed >>> 0 || 1; ; ) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    yield (state >>> 0) / 2 ** 32
  }
}
