/** `curve`: what each budget of a grid saves, costs and loses, and the knee. */
import { curveFiles } from '../../app/analyse.ts'
import { curvesData, pointColumns, pointRows } from '../../reports/columns/curve.ts'
import { renderCurves } from '../../reports/curve.ts'
import { printJson } from '../../reports/json.ts'
import type { Call } from '../inputs/call.ts'
import { decidesBy, planOf, reportOrPage, toleranceOf } from '../inputs/options.ts'
import { Reading } from '../inputs/reading.ts'
import { openSession } from '../inputs/session.ts'
import { writePage } from './views/page-output.ts'

/** The default budgets: powers of two and 1.5 times those, from a short chat to the largest windows. */
const grid = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048].flatMap((size) => [size * 1000, size * 1500])

export async function run(call: Call): Promise<number> {
  const session = await openSession(call)
  const { settings, output } = session
  const chosen = await planOf(session, call.world)
  const isOwnGrid = settings.get('budget')?.origin !== 'default'
  const plan = isOwnGrid ? chosen : { ...chosen, budgets: grid }
  const report = reportOrPage(settings)
  const tolerance = toleranceOf(settings, '1%')
  if (report === null) return (await writePage(call, session, plan, {})).code
  const reading = await Reading.of(call, session)
  const curves = await curveFiles(reading.read, plan, { tolerance, trim: !isOwnGrid, ...decidesBy(settings, plan) })
  const transcripts = curves.curves[0]?.transcripts ?? 0
  const code = reading.finish(transcripts)
  if (transcripts === 0 && (code !== 0 || report.forPeople)) return code
  const options = { width: output.width, color: output.color, cuts: 'none', by: 'transcript' } as const
  if (report.name === 'json') await output.write([printJson(curvesData(curves))])
  else if (report.name === 'table') await output.write(renderCurves(curves, options))
  else await output.write(report.rows(pointColumns, pointRows(curves), options))
  return code
}
