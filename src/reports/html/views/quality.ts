/** How well the agent worked by the size of its window: what `quality` has. */
import type { EndpointQuality, QualityBand } from '../../../model/quality.ts'
import { signed } from '../../numbers.ts'
import { bandName, caveat, endpointWords } from '../../quality-words.ts'
import { type Element, h, leaf } from '../element.ts'
import { place } from '../figures.ts'
import { headOf, strip, table } from '../parts.ts'

export function qualityView(endpoints: readonly EndpointQuality[]): Element[] {
  return [
    h('ul')(endpoints.map((one) => h('li')([endpointWords(one).join(' '), bandsOf(one)].flat()))),
    h('p.quiet')(caveat),
  ]
}

interface JudgedBand extends QualityBand {
  readonly fitted: number
  readonly low: number
  readonly high: number
}

const isJudged = (band: QualityBand): band is JudgedBand =>
  band.fitted !== null && band.low !== null && band.high !== null

/** A row for each band of sizes that can be judged; nothing where none can. */
function bandsOf({ bands, unit }: EndpointQuality): Element[] {
  const judged = bands.filter(isJudged)
  if (judged.length === 0) return []
  const least = judged.reduce((end, { low }) => Math.min(end, low), 0)
  const most = judged.reduce((end, { high }) => Math.max(end, high), 0)
  const at = (value: number): number => place((100 * (value - least)) / (most - least || 1))
  return [
    table(
      '',
      [...headOf(['window', `more, in ${unit}`, 'at least', 'at most']), leaf('td.wide')],
      judged.map((band) =>
        h('tr')(
          h('th', { scope: 'row' })(bandName(band)),
          [band.fitted, band.low, band.high].map((value) => h('td.number')(signed(value))),
          h('td.length.wide')(interval(band, at)),
        ),
      ),
    ),
  ]
}

/** The band as a bar, with a line where there is no difference. */
function interval({ low, high }: JudgedBand, at: (value: number) => number): Element {
  return strip(
    'svg.bar',
    leaf('rect', { x: at(low), y: 0, width: place(at(high) - at(low)), height: 8 }),
    leaf('line', { x1: at(0), y1: 0, x2: at(0), y2: 8, stroke: 'currentColor' }),
  )
}
