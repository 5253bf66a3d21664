/** Starts the page: reads its data, draws it, and draws again what a choice changes. */
import type { Page, PagePolicy } from '../../../model/page.ts'
import { grouped, several } from '../../numbers.ts'
import { safe } from '../../safe.ts'
import { budgetWord, type Choice, choiceWords, firstChoice } from '../choice.ts'
import { element } from '../element.ts'
import { layout } from '../layout.ts'
import { headView, type ListOrder, listColumns, listed, nameOf, rowView, thenCells } from '../views/list.ts'
import { outcomeView } from '../views/outcome.ts'
import { messagesView, picturedBy, pictureMarkup } from '../views/session.ts'
import { spotsOf, spotWords, tradeTable, tradeView } from '../views/trade.ts'
import { find, nodeOf, show } from './document.ts'

const page = JSON.parse(find('data').textContent ?? '') as Page
let choice: Choice = firstChoice(page)
let order: ListOrder = { key: 'today', direction: 'descending', filter: '' }
/** How many sessions are shown until somebody asks for all: laying out a thousand rows takes longer than all the rest. */
const fewRows = 100
let showsAll = false
/** The rows of the table that have been made, by session. */
const rows = new Map<number, HTMLElement>()

show(find('page'), layout(page, choice))
document.addEventListener('click', ({ target }) => {
  const button = (target as Element).closest('[data-copy]')
  if (button) copy(button).catch(() => select(button))
})
if (page.sessions.length > 0) {
  listen()
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

function draw(): void {
  const { policy, budget, session } = choice
  const { heedsBudget, summary } = page.policies[policy] as PagePolicy
  const slider = find<HTMLInputElement>('budget')
  find<HTMLSelectElement>('policy').value = String(policy)
  slider.value = String(budget)
  slider.disabled = !heedsBudget
  const words = heedsBudget ? budgetWord(page, budget) : 'makes no difference here'
  slider.setAttribute('aria-valuetext', words)
  find('budget-words').textContent = words
  find('summary').textContent = safe(summary)
  find('scope').textContent =
    session === null
      ? `${page.sessions.length === 1 ? '' : 'All '}${several(page.sessions.length, 'session')}`
      : `One session: ${safe(nameOf(page.sessions[session] as Page['sessions'][number]))}`
  find('all').hidden = session === null
  show(find('outcome'), outcomeView(page, choice))
  drawTrade()
  drawPicture()
  drawThen()
}

function drawTrade(): void {
  const place = find('trade')
  show(place, tradeView(page, choice, Math.max(280, Math.floor(place.clientWidth))))
  show(find('trade-table'), tradeTable(page, choice))
  tell(null)
}

function drawPicture(): void {
  const { pictures } = page
  if (pictures.length === 0) return
  const place = find('session-picture')
  const asItWas = find<HTMLInputElement>('was').checked
  const markup = pictureMarkup(page, choice, asItWas, Math.max(320, Math.floor(place.clientWidth)))
  if (markup === null) {
    show(place, element('p', {}, 'The chosen session has no picture on this page.'))
    return
  }
  find<HTMLSelectElement>('pictured').value = String(picturedBy(page, choice)?.session)
  // An XML parser builds a tree and runs no script, and it refuses what is not well-formed.
  const namespaced = markup.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ')
  const { documentElement } = new DOMParser().parseFromString(namespaced, 'image/svg+xml')
  place.replaceChildren(document.importNode(documentElement, true))
  drawMessages()
}

/** Draws the messages only when they are opened: they may be megabytes. */
function drawMessages(): void {
  if (page.text !== 'full' || !find<HTMLDetailsElement>('messages').open) return
  const pictured = picturedBy(page, choice)
  show(find('messages-shown'), pictured ? messagesView(pictured) : [])
}

/** Says what a point stands for: the one that is pointed at, or else the chosen one. */
function tell(index: number | null): void {
  const spots = spotsOf(page)
  const { policies } = page
  const spot =
    index === null
      ? spots.find(
          ({ policy, budget }) =>
            policy === choice.policy && (budget === choice.budget || !(policies[policy] as PagePolicy).heedsBudget),
        )
      : spots[index]
  find('spot').textContent = spot ? spotWords(page, spot) : ' '
}

function drawList(): void {
  const found = listed(page, choice, order)
  const shown = showsAll ? found : found.slice(0, fewRows)
  for (const index of shown) if (!rows.has(index)) rows.set(index, nodeOf(rowView(page, choice, index)) as HTMLElement)
  const body = document.createElement('tbody')
  for (const index of shown) body.append(rows.get(index) as HTMLElement)
  const head = nodeOf(element('thead', {}, headView(order)))
  const table = document.querySelector('#list table')
  if (table) table.replaceChildren(table.firstChild as Node, head, body)
  else {
    const frame = { class: 'scroll list', tabindex: 0, role: 'region', 'aria-label': 'Sessions' }
    show(find('list'), element('div', frame, element('table', {}, element('caption', { class: 'hidden' }, 'Sessions'))))
    document.querySelector('#list table')?.append(head, body)
  }
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
  then?.setAttribute('aria-label', `input then: ${choiceWords(page, choice)}`)
}

function choose(change: Partial<Choice>): void {
  choice = { ...choice, ...change }
  draw()
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

function listen(): void {
  find('policy').addEventListener('change', ({ target }) =>
    choose({ policy: Number((target as HTMLSelectElement).value) }),
  )
  find('budget').addEventListener('input', ({ target }) =>
    choose({ budget: Number((target as HTMLInputElement).value) }),
  )
  find('all').addEventListener('click', () => {
    choose({ session: null })
    find('policy').focus()
  })
  const trade = find('trade')
  trade.addEventListener('click', ({ target }) => void chooseSpot(target))
  trade.addEventListener('mouseover', ({ target }) => tell(spotAt(target)))
  trade.addEventListener('mouseleave', () => tell(null))
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
    if (index) choose({ session: choice.session === Number(index) ? null : Number(index) })
  })
  if (page.pictures.length > 0) {
    find('pictured').addEventListener('change', ({ target }) =>
      choose({ session: Number((target as HTMLSelectElement).value) }),
    )
    if (page.text === 'full') find('messages').addEventListener('toggle', drawMessages)
    for (const id of ['was', 'then']) find(id).addEventListener('change', drawPicture)
  }
  find('more').addEventListener('click', () => {
    showAll()
    find('filter').focus()
  })
  globalThis.addEventListener('beforeprint', showAll)
  let width = trade.clientWidth
  new ResizeObserver(() => {
    if (trade.clientWidth === width) return
    width = trade.clientWidth
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
