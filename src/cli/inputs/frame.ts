/** The frame of a command: settings, report, transcripts, what could not be read, the result, the exit code. */
import type { ReportOptions } from '../../app/index.ts'
import type { Action, Call } from './call.ts'
import type { Settings } from './config.ts'
import { Reading, type Wanted } from './reading.ts'
import { openSession, type Session } from './session.ts'

/** What a command is given. */
export interface Framed<Form> {
  readonly call: Call
  readonly session: Session
  readonly settings: Settings
  readonly report: Form
  /** Opens what is to be read. The frame reports on it at the end. */
  readonly read: (wanted?: Wanted) => Promise<Reading>
}

export interface Answer {
  /** How many transcripts were read. */
  readonly found?: number
  /**
   * What is written, now that it is told what could not be read. Of a part of a result it is not asked for.
   * @param code the exit code that the reading calls for
   * @returns null for nothing; a number for nothing, and another exit code
   */
  readonly result: (looks: ReportOptions, code: number) => Iterable<string> | number | null
  /** The exit code once the result is written; null = that of the reading. */
  readonly code?: number | null
}

/**
 * @param reportIn the report that the settings ask for
 * @param answer gives an exit code where it has written the result itself
 */
export function framed<Form>(
  reportIn: (settings: Settings) => Form,
  answer: (framed: Framed<Form>) => Promise<Answer | number>,
): Action {
  return async (call) => {
    const session = await openSession(call)
    const { settings, output } = session
    let reading: Reading | null = null
    const read = async (wanted?: Wanted) => {
      reading = await Reading.of(call, session, wanted)
      return reading
    }
    const answered = await answer({ call, session, settings, report: reportIn(settings), read })
    if (typeof answered === 'number') return answered
    const opened = reading as Reading | null
    const code = opened?.finish(answered.found ?? 0) ?? 0
    if (opened?.isPart) return code
    const result = answered.result(output.looks, code)
    if (typeof result === 'number') return result
    if (result === null) return code
    await output.write(result)
    return answered.code ?? code
  }
}
