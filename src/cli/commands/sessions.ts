/** `sessions`, and `ctxwin` alone: what agents have recorded, what it cost, what to set, and which session cost most. */
import { type NextSteps, printJson, readSessions, renderSessions, sessionColumns } from '../../app/door.ts'
import type { Call } from '../call.ts'
import { planOf, reportOrPart } from '../options.ts'
import { discover, type Found } from '../places.ts'
import { Reading } from '../reading.ts'
import { quote } from '../reproduce.ts'
import { inputsOf, openSession } from '../session.ts'

export async function run(call: Call): Promise<number> {
  const { world } = call
  const session = await openSession(call)
  const { settings, output } = session
  const plan = await planOf(session, world)
  const report = reportOrPart(settings)
  const reading = await Reading.of(call, settings, { always: true })
  // Rows have no place for what could be set; but of parts any report may be made.
  const recommends = report.name === 'table' || report.name === 'json' || call.parts !== undefined
  const sessions = await readSessions(reading.read, plan, { recommends })
  const code = reading.finish(sessions.sessions.length)
  if (sessions.sessions.length === 0) return code
  const options = { width: output.width, color: output.color, cuts: 'none', by: 'transcript' } as const
  if (report.name === 'table')
    await output.write(renderSessions(sessions, nextSteps(call, inputsOf(call, settings)), options))
  else if (report.name === 'json') await output.write([printJson(sessions)])
  else await output.write(report.rows(sessionColumns, sessions.sessions, options))
  return code
}

/** The command lines that go on from there. A session that was found is called by its id, as far as it takes to tell it from the others. */
export function nextSteps({ world }: Call, inputs: readonly string[]): NextSteps {
  const found = inputs.length === 0 ? discover(world).found : []
  return {
    history({ file }: { readonly file: string }) {
      const session = found.find(({ path }) => path === file)?.session ?? null
      return `ctxwin history ${quote(session === null ? file : beginningOf(session, found))}`
    },
    recommend: ['ctxwin recommend', ...inputs.map(quote)].join(' '),
  }
}

function beginningOf(id: string, found: readonly Found[]): string {
  const others = found.flatMap(({ session }) => (session === null || session === id ? [] : [session]))
  let length = 8
  while (length < id.length && others.some((other) => other.startsWith(id.slice(0, length)))) length++
  return id.slice(0, length)
}
