/** What is said of an endpoint of `quality`, on a screen and on a page. */

import { type Endpoint, type EndpointQuality, fewestTelling, type QualityBand } from '../model/quality.ts'
import { compact, grouped, several, signed } from './numbers.ts'
import { capital } from './text.ts'

/** What an endpoint is called, and what it is counted in. */
export const endpointNames: Readonly<Record<Endpoint, readonly [name: string, thing: string]>> = {
  failed: ['failed tool calls', 'call'],
  edits: ['failed edits', 'edit'],
  repeated: ['repeated calls', 'call'],
  interrupted: ['interruptions by the user', 'request'],
  rejected: ['calls that the user rejected', 'call'],
  corrected: ['corrections by the user', 'message'],
  output: ['output of a request', 'request'],
}

export const endpointName = (endpoint: Endpoint): string => endpointNames[endpoint][0]

export const caveat = `more: compared with windows below 50k in the same stretch of the same session, for calls to the same tool at the same place in an exchange. In 49 of 50 cases a band holds at all its sizes together. A size is judged where at least ${fewestTelling.sessions} sessions have both small and large windows, with ${fewestTelling.events} events in them. None of this shows a cause: late in a session, more differs than the size of the window.`

/** What can be said of an endpoint: by size, then around compactions. */
export const endpointWords = (one: EndpointQuality): string[] => [
  `${capital(endpointName(one.endpoint))}: ${sizeWords(one)}`,
  ...compactionWords(one),
]

function sizeWords({ endpoint, unit, observations, events, risesFrom, bands }: EndpointQuality): string {
  const known = bands.filter(({ low }) => low !== null)
  const [first, last] = [known[0], known.at(-1)]
  if (!first || !last) {
    const seen = events === null ? '' : `${grouped(events)} in `
    return `too few to say (${seen}${several(observations, endpointNames[endpoint][1])}).`
  }
  if (risesFrom !== null) {
    const at = bands.find(({ from }) => from === risesFrom) as QualityBand
    const how = endpoint === 'output' ? 'more' : 'worse'
    return `surely ${how} from ${compact(risesFrom)} on: ${signed(at.fitted ?? 0)} ${unit} there, at least ${signed(at.low ?? 0)}.`
  }
  const above = ({ high }: QualityBand): string | null => ((high ?? 0) > 0 ? `more than ${signed(high ?? 0)}` : null)
  const [least, most] = [above(first), above(last)]
  const rise = least === null ? 'any rise' : `a rise of ${least} ${unit}`
  const rest = least === most ? '' : ` up to ${endOf(first)}, and ${most === null ? 'any' : `one of ${most}`}`
  return `no rise seen; ${rise} is ruled out${rest} up to ${endOf(last)}.`
}

function compactionWords({ unit, compactions: { compactions, difference, low, high } }: EndpointQuality): string[] {
  if (difference === null || low === null || high === null) return []
  const band = `${signed(low)} to ${signed(high)}`
  const around = `Right before ${several(compactions, 'compaction')}, compared with right after`
  if (low > 0 || high < 0) return [`${around}: ${signed(difference)} ${unit} (${band}).`]
  return [`${around}: no difference seen (${band} ${unit}).`]
}

const endOf = ({ from, to }: QualityBand): string => (to === null ? `${compact(from)} and above` : compact(to))

/** "below 50k", "50k to 75k", "500k and above" */
export function bandName({ from, to }: Pick<QualityBand, 'from' | 'to'>): string {
  if (from === 0) return `below ${compact(to ?? 0)}`
  return to === null ? `${compact(from)} and above` : `${compact(from)} to ${compact(to)}`
}
