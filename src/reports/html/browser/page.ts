/** Starts the page: reads its data, draws it, and draws again what a choice changes. */
import { safe } from '../../../base/quoting.ts'
import type { Page, PagePicture, PagePolicy, PageProgram, PageSeries, PageSession } from '../../../model/page.ts'
import { grouped, several } from '../../numbers.ts'
import { budgetWord, type Choice, choiceWords, firstChoice, stopsOf } from '../choice.ts'
import { h } from '../element.ts'
import { frontSentence } from '../front.ts'
import { layout, mostPrinted } from '../layout.ts'
import { type PackedPicture, unpackedPicture } from '../pictures.ts'
import { rowsOf, type SeriesRows } from '../series.ts'
import { type PackedSession, unpackedSession } from '../sessions.ts'
import { chartedPrograms, chartTable, chartView, reallyWords } from '../views/chart.ts'
import { headView, type ListOrder, listColumns, listed, rowView, sessionName, thenCells } from '../views/list.ts'
import { outcomeView } from '../views/outcome.ts'
import { messagesView, picturedSession, pictureMarkup, pictureOption, seriesMarkup } from '../views/session.ts'
import { spotsOf, spotWords, tradeTable, tradeView } from '../views/trade.ts'
import { find, nodeOf, show } from './document.ts'
import { inflated } from './inflated.ts'

interface PackedPage extends Omit<Page, 'pictures' | 'sessions'> {
  readonly pictures: readonly PackedPicture[]
  readonly sessions: readonly PackedSession[]
  readonly parts: PageSeries['parts']
}

const {
  pictures: packedPictures,
  sessions: packedSessions,
  parts,
  ...rest
} = JSON.parse(find('data').textContent ?? '') as PackedPage
/** The pictures are unpacked when they are looked at: their words count for what is said of them. */
const page: Page = {
  ...rest,
  sessions: packedSessions.map((one) => unpackedSession(one, parts)),
  pictures: packedPictures as readonly unknown[] as Page['pictures'],
}
let choice: Choice = firstChoice(page)
let order: ListOrder = { key: 'today', direction: 'descending', filter: '' }
/** Until then there are as many as are printed: laying out a thousand rows takes longer than all the rest. */
let showsAll = false
/** The rows of the table that have been made, by session. */
const rows = new Map<number, HTMLElement>()
/** The figures that pictures are drawn from, by session. */
const drawable = new Map<number, PagePicture | SeriesRows>()
const charted = chartedPrograms(page)
let atRest: ReturnType<typeof setTimeout> | undefined
/** The index of the chosen point; -1 for none. */
let chosenSpot = -1
/** What the picture of a session shows, so that what has not changed is not drawn again. */
let drawn = ''

show(find('page'), layout(page, choice))
document.addEventListener('click', ({ target }) => {
  const button = (target as Element).closest('[data-copy]')
  if (button) copy(button).catch(() => select(button))
})
if (page.sessions.length > 0) {
  listen()
  drawChart()
  show(find('trade-table'), tradeTable(page, choice))
  drawList()
  draw()
}

async function copy(button: Element): Promise<void> {
  await navigator.clipboard.writeText(button.getAttribute('data-copy') as string)
  button.textContent = 'Copied'
}

/** Where a browser gives no clipboard, the text is at least selected. */
function select(button: Element): void {
  if (button.previousElementSibling) getSelection()?.selectAllChildren(button.previousElementSibling)
}

/** @param isMoving it will be another choice in a moment: what takes long waits until it rests */
function draw(isMoving = false): void {
  const { policy, session } = choice
  const stops = stopsOf(page, policy)
  const { accepted } = page.policies[policy] as PagePolicy
  // A policy that is not tried at the budget of the one before is shown at the next one that it is tried at.
  const next = stops.find((one) => one >= choice.budget) ?? (stops.at(-1) as number)
  if (accepted[choice.budget] !== true) choice = { ...choice, budget: next }
  const { heedsBudget, summary } = page.policies[policy] as PagePolicy
  const slider = find<HTMLInputElement>('budget')
  find<HTMLSelectElement>('policy').value = String(policy)
  slider.max = String(stops.length - 1)
  slider.value = String(Math.max(0, stops.indexOf(choice.budget)))
  const isSlider = stops.length > 1
  slider.disabled = !isSlider
  slider.hidden = !isSlider
  const ends = isSlider ? [stops[0], stops.at(-1)] : []
  show(
    find('budget-ends'),
    ends.map((at) => h('span')(budgetWord(page, at as number))),
  )
  const words = heedsBudget ? budgetWord(page, choice.budget) : 'makes no difference here'
  slider.setAttribute('aria-valuetext', words)
  find('budget-words').textContent = words
  show(find('summary'), summary)
  show(
    find('scope'),
    session === null
      ? `${page.sessions.length === 1 ? '' : 'All '}${several(page.sessions.length, 'session')}`
      : `One session: ${sessionName(sessionAt(session))}`,
  )
  find('all').hidden = session === null
  show(find('outcome'), outcomeView(page, choice))
  markChosen()
  clearTimeout(atRest)
  if (isMoving) atRest = setTimeout(drawRest, 100)
  else drawRest()
}

/** What takes longer than a frame of a slider that is dragged. */
function drawRest(): void {
  drawTrade()
  drawPicture()
  drawThen()
}

/** Moves the mark of the choice, in the chart and in its table. */
function markChosen(): void {
  const { policies } = page
  const spot = spotsOf(page).findIndex(
    ({ policy, budget }) =>
      policy === choice.policy && (budget === choice.budget || !(policies[policy] as PagePolicy).heedsBudget),
  )
  const dot = document.querySelector(`#trade circle[data-spot="${spot}"]`)
  for (const key of dot ? ['cx', 'cy'] : []) {
    document.querySelector('#trade .current')?.setAttribute(key, dot?.getAttribute(key) as string)
  }
  for (const row of document.querySelectorAll('#trade-table tbody tr')) {
    row.classList.toggle('chosen', row.querySelector(`[data-spot="${spot}"]`) !== null)
  }
  chosenSpot = spot
  tell(null)
}

const sessionAt = (index: number): PageSession => page.sessions[index] as PageSession

function chartedNow(): PageProgram | undefined {
  const chosen = document.querySelector<HTMLInputElement>('input[name="charted"]:checked')
  return charted[Number(chosen?.value ?? 0)]
}

/** Draws the chart of candidates, which no choice changes. */
function drawChart(): void {
  const program = chartedNow()
  if (!program) return
  const place = find('chart')
  show(place, chartView(program, Math.max(280, Math.floor(place.clientWidth))))
  show(find('chart-table'), chartTable(program))
  show(find('chart-sentence'), frontSentence(program))
  tellDot(null)
}

/** Describes the point under the pointer; without one, says what to point at. */
function tellDot(target: Element | null): void {
  const dot = target?.closest('[aria-label]:is(circle, rect)') ?? null
  const isTouch = matchMedia('(hover: none)').matches
  find('chart-words').textContent =
    dot?.getAttribute('aria-label') ??
    `Left is cheaper, down forgets less; nothing beats what is on the line. A later use is text that is copied from something earlier.${reallyWords(chartedNow())} ${isTouch ? 'Touch' : 'Point at'} a setting for its figures.`
}

function drawTrade(): void {
  const place = find('trade')
  show(place, tradeView(page, choice, Math.max(280, Math.floor(place.clientWidth))))
  tell(null)
}

function drawPicture(): void {
  const session = picturedSession(choice)
  const figures = drawable.get(session)
  if (figures) drawFigures(session, figures)
  else unpack(session).catch(() => show(find('session-picture'), h('p')(tooOld)))
}

const tooOld = 'This browser cannot unpack pictures: one of 2023 or newer can.'

async function unpack(session: number): Promise<void> {
  const packed = packedPictures.find((one) => one.session === session)
  const figures = packed
    ? unpackedPicture(packed, new TextDecoder().decode(await inflated(packed.packed)))
    : rowsOf(await inflated(sessionAt(session).series.packed))
  drawable.set(session, figures)
  // Another one may have been chosen meanwhile.
  if (session === picturedSession(choice)) drawFigures(session, figures)
}

function drawFigures(session: number, figures: PagePicture | SeriesRows): void {
  const place = find('session-picture')
  const asItWas = find<HTMLInputElement>('was').checked
  const width = Math.max(320, Math.floor(place.clientWidth))
  const shown = [session, width, asItWas || `${choice.policy} ${choice.budget}`].join(' ')
  if (shown === drawn) return
  drawn = shown
  const markup =
    'picture' in figures
      ? pictureMarkup(page, choice, figures, asItWas, width)
      : seriesMarkup(page, choice, figures, asItWas, width)
  nameIn(find<HTMLSelectElement>('pictured'), session)
  // An XML parser builds a tree and runs no script, and it refuses what is not well-formed.
  const namespaced = markup.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ')
  const { documentElement } = new DOMParser().parseFromString(namespaced, 'image/svg+xml')
  place.replaceChildren(document.importNode(documentElement, true))
  drawMessages()
}

/** Shows a session in the list beside the picture, which has not all of them at first. */
function nameIn(list: HTMLSelectElement, session: number): void {
  const value = String(session)
  if (!list.querySelector(`option[value="${value}"]`)) list.append(nodeOf(pictureOption(sessionAt(session), session)))
  list.value = value
}

/** Draws the messages only when they are opened: they may be megabytes. */
function drawMessages(): void {
  if (page.text !== 'full' || !find<HTMLDetailsElement>('messages').open) return
  const pictured = drawable.get(picturedSession(choice))
  show(find('messages-shown'), pictured && 'picture' in pictured ? messagesView(pictured) : [])
}

/** Describes the point under the pointer, or else the chosen one. */
function tell(index: number | null): void {
  const spot = spotsOf(page)[index ?? chosenSpot]
  show(find('spot'), spot ? spotWords(page, spot) : ' ')
}

function drawList(): void {
  const found = listed(page, choice, order)
  const shown = showsAll ? found : found.slice(0, mostPrinted)
  for (const index of shown) {
    if (!rows.has(index)) rows.set(index, nodeOf(rowView(page, choice, index)) as HTMLElement)
  }
  const body = document.createElement('tbody')
  for (const index of shown) body.append(rows.get(index) as HTMLElement)
  const head = nodeOf(h('thead')(headView(order)))
  const table = document.querySelector('#list table')
  if (table) table.replaceChildren(table.firstChild as Node, head, body)
  else {
    const frame = { class: 'scroll list', tabindex: 0, role: 'region', 'aria-label': 'Sessions' }
    show(find('list'), h('div', frame)(h('table')(h('caption.hidden')('Sessions'))))
    document.querySelector('#list table')?.append(head, body)
  }
  document.querySelector('#list .list')?.classList.toggle('long', showsAll && shown.length > mostPrinted)
  find('found').textContent =
    order.filter === '' ? '' : `${several(found.length, 'session')} of ${grouped(page.sessions.length)}`
  const more = find('more')
  more.hidden = shown.length === found.length
  more.textContent = `Show all ${several(found.length, 'session')}`
}

/** Updates what the choice changes in the rows, without making them anew. */
function drawThen(): void {
  for (const [index, row] of rows) {
    for (const [key, words] of thenCells(page, choice, index)) {
      const cell = row.querySelector(`.of-${key}`)
      if (cell) cell.textContent = words
    }
    const isChosen = choice.session === index
    row.classList.toggle('chosen', isChosen)
    row.querySelector('button')?.setAttribute('aria-pressed', String(isChosen))
  }
  const then = document.querySelector('#list th.of-paid button')
  then?.setAttribute('aria-label', safe(`if set, input under ${choiceWords(page, choice)}`))
}

function choose(change: Partial<Choice>, isMoving = false): void {
  choice = { ...choice, ...change }
  draw(isMoving)
}

function chooseSpot(target: EventTarget | null): boolean {
  const spot = spotAt(target)
  if (spot === null) return false
  const { policy, budget } = spotsOf(page)[spot] as Pick<Choice, 'policy' | 'budget'>
  choose({ policy, budget })
  return true
}

function spotAt(target: EventTarget | null): number | null {
  const found = (target as Element | null)?.closest?.('[data-spot]')
  return found ? Number(found.getAttribute('data-spot')) : null
}

/** Moves the keyboard's place among the points of a chart, by what they cost. */
function stepAmong(place: HTMLElement, event: KeyboardEvent): void {
  const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key]
  const from = (event.target as Element).closest('circle')
  if (by === undefined || !from) return
  event.preventDefault()
  const across = (circle: Element): number => Number(circle.getAttribute('cx'))
  const all = [...place.querySelectorAll<SVGCircleElement>('circle.spot')].sort((a, b) => across(a) - across(b))
  const next = all[all.indexOf(from as SVGCircleElement) + by]
  if (!next) return
  from.setAttribute('tabindex', '-1')
  next.setAttribute('tabindex', '0')
  next.focus()
}

function listen(): void {
  find('policy').addEventListener('change', ({ target }) =>
    choose({ policy: Number((target as HTMLSelectElement).value) }),
  )
  find('budget').addEventListener('input', ({ target }) =>
    choose({ budget: stopsOf(page, choice.policy)[Number((target as HTMLInputElement).value)] as number }, true),
  )
  find('all').addEventListener('click', () => {
    choose({ session: null })
    find('policy').focus()
  })
  const trade = find('trade')
  trade.addEventListener('click', ({ target }) => void chooseSpot(target))
  trade.addEventListener('keydown', (event) => {
    stepAmong(trade, event)
    if (event.key !== 'Enter') return
    const spot = spotAt(event.target)
    if (chooseSpot(event.target)) trade.querySelector<SVGElement>(`[data-spot="${spot}"]`)?.focus()
  })
  trade.addEventListener('mouseover', ({ target }) => tell(spotAt(target)))
  trade.addEventListener('focusin', ({ target }) => tell(spotAt(target)))
  trade.addEventListener('mouseleave', () => tell(null))
  trade.addEventListener('focusout', () => tell(null))
  if (charted.length > 0) {
    const chart = find('chart')
    chart.addEventListener('keydown', (event) => stepAmong(chart, event))
    for (const kind of ['mouseover', 'focusin', 'click'] as const) {
      chart.addEventListener(kind, ({ target }) => tellDot(target as Element))
    }
    for (const kind of ['mouseleave', 'focusout'] as const) chart.addEventListener(kind, () => tellDot(null))
    for (const tab of document.querySelectorAll('input[name="charted"]')) tab.addEventListener('change', drawChart)
  }
  const table = find('trade-table')
  table.addEventListener('click', ({ target }) => {
    const spot = spotAt(target)
    if (chooseSpot(target)) table.querySelector<HTMLElement>(`[data-spot="${spot}"]`)?.focus()
  })
  find('filter').addEventListener('input', ({ target }) => {
    order = { ...order, filter: (target as HTMLInputElement).value }
    drawList()
  })
  find('list').addEventListener('click', ({ target }) => {
    const button = (target as Element).closest('button')
    const key = button?.getAttribute('data-key')
    if (key) sortBy(key)
    const index = button?.closest('tr')?.getAttribute('data-session')
    if (!index) return
    choose({ session: choice.session === Number(index) ? null : Number(index) })
    if (choice.session !== null) find('picture').scrollIntoView({ block: 'nearest' })
  })
  find('pictured').addEventListener('change', ({ target }) =>
    choose({ session: Number((target as HTMLSelectElement).value) }),
  )
  if (page.text === 'full') find('messages').addEventListener('toggle', drawMessages)
  for (const id of ['was', 'then']) find(id).addEventListener('change', drawPicture)
  find('more').addEventListener('click', () => {
    showAll()
    find('filter').focus()
  })
  let width = trade.clientWidth
  new ResizeObserver(() => {
    if (trade.clientWidth === width) return
    width = trade.clientWidth
    drawChart()
    drawTrade()
    drawPicture()
  }).observe(trade)
}

function showAll(): void {
  if (showsAll) return
  showsAll = true
  drawList()
}

function sortBy(key: string): void {
  const column = listColumns.find((one) => one.key === key)
  if (!column) return
  const turned = order.direction === 'ascending' ? 'descending' : 'ascending'
  order = { ...order, key, direction: order.key === key ? turned : column.first }
  drawList()
  document.querySelector<HTMLElement>(`#list [data-key="${key}"]`)?.focus()
}
