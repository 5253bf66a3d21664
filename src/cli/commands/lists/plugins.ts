/** `list estimators`, `list formats`: what there is, with params and sources. */
import {
  type Column,
  type Estimator,
  estimators,
  type Named,
  type Note,
  type Params,
  type Reader,
  type Registry,
  readers,
} from '../../../app/index.ts'
import type { Action } from '../../inputs/call.ts'
import { framed } from '../../inputs/frame.ts'
import { reportOf } from '../../inputs/options.ts'

const estimatorColumns: readonly Column<Estimator>[] = [
  { key: 'name', header: 'estimator', unit: 'text', rank: 0, value: ({ name }) => name },
  { key: 'summary', header: 'what it counts', unit: 'text', rank: 0, wraps: true, value: ({ summary }) => summary },
  { key: 'params', header: 'params', unit: 'record', rank: 1, wraps: true, value: ({ params }) => defaultsOf(params) },
  { key: 'source', header: 'source', unit: 'text', rank: 2, wraps: true, value: ({ source }) => source },
]

const formatColumns: readonly Column<Reader>[] = [
  { key: 'name', header: 'format', unit: 'text', rank: 0, value: ({ name }) => name },
  { key: 'summary', header: 'what it is', unit: 'text', rank: 0, wraps: true, value: ({ summary }) => summary },
  { key: 'source', header: 'where it lies', unit: 'text', rank: 1, wraps: true, value: ({ source }) => source },
  {
    key: 'places',
    header: 'looked for in',
    unit: 'list',
    value: ({ places = [] }) => places.map(({ directories, files }) => ({ directories, files })),
  },
]

/** Paths fit in no column: people get them below the table. */
function placeNotes(): Note[] {
  const items = readers.all.flatMap(({ name, places = [] }) => {
    // "$CODEX_HOME/sessions, or else ~/.codex/sessions"
    const sentences = [...new Set(places.map(({ directories }) => directories.join(', or else ')))]
    return sentences.length > 0 ? [{ name, sentences }] : []
  })
  return [{ title: 'Where transcripts are looked for when no input is named', items }]
}

export function defaultsOf(params: Params): Record<string, unknown> {
  return Object.fromEntries(Object.entries(params).map(([key, param]) => [key, param.default]))
}

function list<T extends Named>(
  columns: readonly Column<T>[],
  registry: Registry<T>,
  notes: () => Note[] = () => [],
): { run: Action } {
  return {
    run: framed(reportOf, async ({ call, report }) => {
      const items = call.inputs.length > 0 ? call.inputs.map((name) => registry.get(name)) : registry.all
      const sheet = () => ({ captions: [], columns, items, marked: () => false, notes: notes(), data: items })
      return {
        result: (looks) => (report.forPeople ? report.sheet(sheet(), looks) : report.rows(columns, items, looks)),
      }
    }),
  }
}

export const lists = {
  estimators: list(estimatorColumns, estimators),
  formats: list(formatColumns, readers, placeNotes),
}
