/** The command lines that go on from what `ctxwin` alone says. */

import type { Redaction } from '../../../model/redaction.ts'
import type { NextSteps } from '../../../reports/sessions.ts'
import type { Call } from '../../inputs/call.ts'
import { discover, type Found } from '../../inputs/places.ts'
import { quote } from '../../inputs/reproduce.ts'

/** A session that was found is called by its id, as far as it takes to tell it from the others. */
/** @param redaction what stands in for the names of inputs */
export function nextSteps({ world }: Call, inputs: readonly string[], redaction?: Redaction | null): NextSteps {
  const found = inputs.length === 0 ? discover(world).found : []
  return {
    history({ file }: { readonly file: string }) {
      const session = found.find(({ path }) => path === file)?.session ?? null
      return `ctxwin history ${quote(session === null ? file : beginningOf(session, found))}`
    },
    recommend: ['ctxwin recommend', ...inputs.map((name) => quote(redaction?.file(name) ?? name))].join(' '),
  }
}

function beginningOf(id: string, found: readonly Found[]): string {
  const others = found.flatMap(({ session }) => (session === null || session === id ? [] : [session]))
  let length = 8
  while (length < id.length && others.some((other) => other.startsWith(id.slice(0, length)))) length++
  return id.slice(0, length)
}
