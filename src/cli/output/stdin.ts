/** Standard input as text, if possible without its stream, which takes Node 10 ms to create. */
import { readSync } from 'node:fs'

/** All of it. */
export async function inputOf(process: { readonly stdin: AsyncIterable<Uint8Array | string> }): Promise<string> {
  const chunks: Buffer[] = []
  const isWhole = process === globalThis.process && readWaiting(chunks)
  if (!isWhole) for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}

/** @returns whether that was all: where another program has set it so, what is not there yet is not waited for */
function readWaiting(chunks: Buffer[]): boolean {
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafe(1 << 12)
      const length = readSync(0, chunk)
      if (length === 0) return true
      chunks.push(chunk.subarray(0, length))
    }
  } catch (error) {
    // Windows reports the closed end of a pipe as this error.
    return (error as NodeJS.ErrnoException).code === 'EOF'
  }
}
