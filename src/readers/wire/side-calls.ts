/** Calls that are billed and that the history has no request for, as programs record them: without an id of the provider's. */
import type { SideCall } from '../../model/trace.ts'

type Recorded = Omit<SideCall, 'model' | 'time' | 'response'> & {
  readonly model: string | null | undefined
  readonly time: number | undefined
}

export function sideCallOf({ model = null, time = Number.NaN, ...call }: Recorded): SideCall {
  return { ...call, model, time, response: 0 }
}
