/** A terminal in memory, for what draws on a whole one. */
import { Writable } from 'node:stream'

/** A terminal that shows what was written since its last clearing, and tells when something was. */
export class Terminal extends Writable {
  readonly isTTY = true
  readonly columns = 80
  rows = 24
  all = ''
  #waiting: (() => void)[] = []

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.all += chunk.toString()
    for (const wake of this.#waiting.splice(0)) wake()
    done()
  }

  get lines(): string[] {
    const [, last = ''] = /.*\u001b\[H(.*)\u001b\[J/s.exec(this.all) ?? []
    return last.replaceAll(/\u001b\[\??\d*[A-Za-z]/g, '').split('\r\n')
  }

  async until(is: () => boolean): Promise<void> {
    while (!is()) await new Promise<void>((wake) => this.#waiting.push(wake))
  }
}
