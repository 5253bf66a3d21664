/**
 * Viewers and launchers of agents keep each event of the agent as it came, under `raw`, and beside it what they show of it. The
 * event has everything: only it is read.
 */
import { objectOf } from '../base/json.ts'

/** What stands beside the event. With any other key the record is no wrapper, and is read as it is. */
const shown = new Set(['content', 'kind', 'raw', 'role', 'time', 'timestamp', 'tool'])

/** The event in a record; the record itself if it is no wrapper. */
export function unwrapped(record: unknown): unknown {
  const outer = objectOf(record)
  const event = objectOf(outer?.raw)
  if (!outer || typeof event?.type !== 'string') return record
  return Object.keys(outer).every((key) => shown.has(key)) ? event : record
}
