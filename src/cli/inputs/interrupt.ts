/** Ctrl-C for a reading that has an answer at any time: the first one asks for it, and the next ends the program. */
import { setImmediate } from 'node:timers/promises'

export interface Interrupt {
  /** Whether somebody has asked. Signals come in while this is waited for. */
  isAsked(): Promise<boolean>
  /** From now on Ctrl-C ends the program, as ever. */
  [Symbol.dispose](): void
}

/** @param said where the answer takes its time: tells who asked that it is on its way */
export function heedInterrupt(said?: () => void): Interrupt {
  let asked = false
  const ask = (): void => {
    asked = true
    said?.()
  }
  process.once('SIGINT', ask)
  return {
    async isAsked() {
      await setImmediate()
      return asked
    },
    [Symbol.dispose]: () => void process.off('SIGINT', ask),
  }
}
