/** How well the agent worked by the size of its window: what `quality` has. */
import type { EndpointQuality, QualityBand } from '../../../model/quality.ts'
import { signed } from '../../numbers.ts'
import { bandName, caveat, endpointWords } from '../../quality-words.ts'
import { type Element, element } from '../element.ts'
import { place } from '../figures.ts'

export function qualityView(endpoints: readonly EndpointQuality[]): Element[] {
  return [
    element(
      'ul',
      {},
      endpoints.map((one) => element('li', {}, [endpointWords(one).join(' '), table(one)].flat())),
    ),
    element('p', { class: 'quiet' }, caveat),
  ]
}

interface Judged extends QualityBand {
  readonly fitted: number
  readonly low: number
  readonly high: number
}

const isJudged = (band: QualityBand): band is Judged => band.fitted !== null && band.low !== null && band.high !== null

/** A row for each band of sizes that can be judged; nothing where none can. */
function table({ bands, unit }: EndpointQuality): Element[] {
  const judged = bands.filter(isJudged)
  if (judged.length === 0) return []
  const least = judged.reduce((end, { low }) => Math.min(end, low), 0)
  const most = judged.reduce((end, { high }) => Math.max(end, high), 0)
  const at = (value: number): number => place((100 * (value - least)) / (most - least || 1))
  const head = ['window', `more, in ${unit}`, 'at least', 'at most']
  return [
    element(
      'table',
      {},
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          head.map((words, at) => element('th', { scope: 'col', class: at === 0 ? null : 'number' }, words)),
          element('td', { class: 'wide' }),
        ),
      ),
      element(
        'tbody',
        {},
        judged.map((band) =>
          element(
            'tr',
            {},
            element('th', { scope: 'row' }, bandName(band)),
            [band.fitted, band.low, band.high].map((value) => element('td', { class: 'number' }, signed(value))),
            element('td', { class: 'length wide' }, interval(band, at)),
          ),
        ),
      ),
    ),
  ]
}

/** The band as a bar, with a line where there is no difference. */
function interval({ low, high }: Judged, at: (value: number) => number): Element {
  return element(
    'svg',
    { class: 'bar', viewBox: '0 0 100 8', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    element('rect', { x: at(low), y: 0, width: place(at(high) - at(low)), height: 8 }),
    element('line', { x1: at(0), y1: 0, x2: at(0), y2: 8, stroke: 'currentColor' }),
  )
}
