/** Transcripts in another form: what `export --to` a form writes. */
import { jsonText } from '../../base/json-text.ts'
import type { Trace } from '../../model/trace.ts'
import type { Source } from '../../readers/lines/source.ts'
import type { FullTrace } from '../analyse.ts'
import { type ReadSettings, readSources, type Unread } from '../files/read-sources.ts'
import type { Plan } from '../plan.ts'
import { type Form, Unheld } from './forms/form.ts'

export interface Converted {
  transcripts: number
  readonly unheld: Unheld
}

export const nothingYet = (): Converted => ({ transcripts: 0, unheld: new Unheld() })

/** A transcript in its new form. */
export interface Conversion {
  /** The file that it was read from. */
  readonly file: string
  /** To be taken once, before the next conversion. */
  readonly lines: Iterable<string>
}

/**
 * The transcripts, one after the other.
 * @param converted is told of what was converted, and of what the form cannot hold
 * @param unread called for each source that failed; the others are still read. Without it the first such source throws.
 */
export async function* convertSources(
  sources: Iterable<Source>,
  plan: Plan,
  settings: ReadSettings,
  form: Form,
  converted: Converted,
  unread?: Unread,
): AsyncGenerator<Conversion> {
  const how = { ...settings, keepMessages: true }
  const take = (trace: Trace) => [trace.whole as FullTrace]
  for await (const { source, taken } of readSources(sources, plan, how, take, unread)) {
    for (const trace of taken) {
      yield { file: source.name, lines: texts(form.lines(trace, plan, converted.unheld, converted.transcripts)) }
      converted.transcripts++
    }
  }
}

function* texts(values: Iterable<unknown>): Iterable<string> {
  for (const value of values) yield `${jsonText(value)}\n`
}
