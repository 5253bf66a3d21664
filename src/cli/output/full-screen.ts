/**
 * The whole terminal: a view that keys move. It replaces what is on the screen, which comes back however the view is
 * left.
 */
import { emitKeypressEvents } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { safeScreen } from '../../base/quoting.ts'

export type Keyboard = Readable & { setRawMode?(raw: boolean): unknown }
type Screen = Writable & { readonly rows?: number; readonly columns?: number }

export interface Size {
  readonly rows: number
  readonly columns: number
}

export interface View {
  /** The lines to show now; those that do not fit are left out. */
  lines(size: Size): readonly string[]
  /** @param key as readline names it: `left`, `pageup`, `q` */
  press(key: string): 'stay' | 'leave'
  /** For a view that changes by itself: called once, with a function that redraws it. */
  watch?(redraw: () => void): void
}

interface Key {
  readonly name?: string
  readonly ctrl?: boolean
}

const enter = '\u001b[?1049h\u001b[?25l'
const leave = '\u001b[?25h\u001b[?1049l'
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Shows a view until it is left. The streams are a terminal's. */
export function showView(stdin: Keyboard, stdout: Screen, view: View): Promise<void> {
  return new Promise((done, failed) => {
    let isOpen = true
    let isDue = false
    const close = (): void => {
      if (!isOpen) return
      isOpen = false
      stdin.off('keypress', typed).off('end', finish)
      stdout.off('resize', redraw)
      process.off('exit', close)
      for (const signal of signals) process.off(signal, endBy)
      stdin.setRawMode?.(false)
      stdin.pause()
      stdout.write(leave)
    }
    const finish = (): void => {
      close()
      done()
    }
    const attempt = (act: () => void): void => {
      try {
        act()
      } catch (error) {
        close()
        failed(error)
      }
    }
    const draw = (): void => {
      isDue = false
      if (!isOpen) return
      const size = { rows: stdout.rows || 24, columns: stdout.columns || 80 }
      const lines = view.lines(size).slice(0, size.rows)
      stdout.write(`\u001b[H${lines.map((line) => `${safeScreen(line)}\u001b[K`).join('\r\n')}\u001b[J`)
    }
    // A key that is held down comes faster than a view is drawn: only the last one counts.
    const redraw = (): void => {
      if (isDue) return
      isDue = true
      setImmediate(() => attempt(draw))
    }
    const typed = (_: string | undefined, { name = '', ctrl = false }: Key): void =>
      attempt(() => {
        if ((ctrl && (name === 'c' || name === 'd')) || view.press(name) === 'leave') finish()
        else redraw()
      })
    const endBy = (signal: NodeJS.Signals): void => {
      close()
      process.kill(process.pid, signal)
    }
    process.once('exit', close)
    for (const signal of signals) process.once(signal, endBy)
    emitKeypressEvents(stdin)
    stdin.on('keypress', typed).on('end', finish)
    stdout.on('resize', redraw)
    stdin.setRawMode?.(true)
    stdin.resume()
    stdout.write(enter)
    attempt(draw)
    view.watch?.(redraw)
  })
}
