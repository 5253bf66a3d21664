/** Reads `--at`: a moment by the numbers that pictures, tables and messages print, which count from 1. */

import { CtxwinError, type Trace } from '../../app/index.ts'
import { requestOfExchange } from '../../model/exchanges.ts'
import { indexOf, ordinal } from '../../reports/numbers.ts'

/**
 * Index of the request that `--at` names, by its own number or by its exchange's; null for the one after the last
 * response, which is also the default.
 * @throws CtxwinError if the transcript has no such request
 */
export function requestAt(at: unknown, trace: Trace): number | null {
  if (at === undefined) return null
  const [, letter, number] = /^(e?)(.*)$/s.exec(String(at)) as RegExpExecArray
  const index = indexOf(number as string)
  const request = letter === 'e' && index !== null ? requestOfExchange(trace, index) : index
  if (request === null || request > trace.requests) {
    const expected = `a request from 1 to ${ordinal(trace.requests)}, or an exchange with a response: e1, e2, …`
    throw new CtxwinError('bad-value', '--at', String(at), expected)
  }
  return request === trace.requests ? null : request
}
