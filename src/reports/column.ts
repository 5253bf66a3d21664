/**
 * What a column is. A column says all that anybody has to know of one value: formats bring a formatter per unit, a check
 * its limits, the schemas and docs/metrics.md its meaning. Which columns there are: columns.ts.
 */

/**
 * `ordinal` is an index: from 0 in data, from 1 for people. A `price` is
 * never rounded. A `flag` is true or false, for people a word or nothing. A `list` is iterable and has a length, which is what it is for people; it is no part of flat data;
 * a `record` is one flat column for each of its keys, and `key=value` words for people.
 */
export type Unit = 'text' | 'count' | 'tokens' | 'percent' | 'money' | 'price' | 'ordinal' | 'flag' | 'list' | 'record'

export interface Column<T> {
  /** As in the JSON; the key of a value in a block is written with dots. */
  readonly key: string
  readonly header: string
  readonly unit: Unit
  /** When a table is too narrow the highest rank gives way first; 0 never does. Left out: only in formats for data. */
  readonly rank?: number
  /** Tables leave the column out while it tells nothing: all zero or absent, or the same text everywhere. */
  readonly quiet?: boolean
  /** A path: a table cuts its middle, and the end of anything else. */
  readonly path?: boolean
  /** Prose: a table breaks it between words instead of cutting it. */
  readonly wraps?: boolean
  /** Not every item has the value: flat data leaves the column out when none does. */
  readonly optional?: boolean
  /** What a value above zero is. */
  readonly tone?: 'good' | 'bad'
  /** The blocks the value is in, the outermost first: one for each dot of the key. */
  readonly blocks?: readonly ColumnBlock[]
  /** What the items of a list are: values of one unit, or objects. */
  readonly items?: Unit | readonly Field<never>[]
  value(item: T): unknown
  /** Of a percentage of things that are counted: which of how many. People are shown it beside the percentage. */
  share?(item: T): Share | null | undefined
}

/** So many of so many. */
export interface Share {
  readonly part: number
  readonly whole: number
}

/** An object in the JSON that holds the values of several columns. */
export interface ColumnBlock {
  readonly meaning: string
  /** Not every item has it. */
  readonly optional?: boolean
  /** It may be null, and is where all its values are. */
  readonly nullable?: boolean
  /** The figures of the block around it, of a part: they have the same meaning. */
  readonly part?: boolean
}

/** A column of data that is published, with a schema. */
export interface Field<T> extends Column<T> {
  /** One line. */
  readonly meaning: string
  /** The section of docs/metrics.md. */
  readonly topic?: Topic
  /** Left out where there is no better: of names, of places, and of what was given. A check holds the others to limits. */
  readonly better?: 'lower' | 'higher'
  /** Where to look when the figure is beyond a limit; left out where no place says more than another. */
  readonly cause?: Cause
  /** The same under every policy and estimator: of the whole file, or how much the transcript holds. */
  readonly input?: 'file' | 'extent'
  /** Null where there is none. */
  readonly nullable?: boolean
  /** The least that is possible, where that is not 0 for numbers of things and nothing for percentages. */
  readonly least?: number
  /** The rows of a comparison are judged by it. */
  readonly judged?: true
  /** False for a count that may have decimals. */
  readonly whole?: false
  /** The words that a text, or an item of a list, can be. */
  readonly values?: readonly string[]
}

/**
 * What a figure comes from: the item of a list that is one too many, the `request` that has most of the figure, the first
 * cut, the first request with the fault, or the first damaged line.
 */
export type Cause = 'item' | 'request' | 'cut' | 'fault' | 'damage'

export type Topic = 'identity' | 'tokens' | 'validity' | 'money' | 'references' | 'recorded'

/** A value that is a property of the thing itself. */
export function own<T>(
  key: keyof T & string,
  header: string,
  unit: Unit,
  meaning: string,
  more: Partial<Omit<Field<T>, 'key' | 'header' | 'unit' | 'meaning' | 'value'>> = {},
): Field<T> {
  return { key, header, unit, meaning, ...more, value: (item) => item[key] }
}

/** Values in a block of the thing. Where the block is absent or null they all are. */
export function within<T, B>(
  key: keyof T & string,
  block: ColumnBlock,
  fields: readonly Field<B>[],
  blockOf: (item: T) => B | null | undefined = (item) => item[key] as B | null | undefined,
): Field<T>[] {
  return fields.map((field) => ({
    ...through(field, blockOf),
    key: `${key}.${field.key}`,
    blocks: [block, ...(field.blocks ?? [])],
  }))
}

/** The value of something that the item has; where it has none, as absent or null as that. */
export function through<T, B>(field: Field<B>, of: (item: T) => B | null | undefined): Field<T> {
  const { value, share, ...rest } = field
  const from =
    <V>(get: (inner: B) => V) =>
    (item: T): V | null | undefined => {
      const inner = of(item)
      return inner === undefined || inner === null ? (inner as null | undefined) : get(inner)
    }
  return { ...rest, value: from(value), ...(share && { share: from(share) }) }
}

/** The same values of a thing that has them under the same keys. */
export function pick<T, K extends keyof T & string>(
  fields: readonly Field<T>[],
  keys: readonly K[],
): Field<Pick<T, K>>[] {
  // A field made by `own` looks at nothing but its key, a block's at nothing but the block.
  const known = fields as readonly Field<Pick<T, K>>[]
  return keys.flatMap((key) => known.filter((field) => field.key === key || field.key.startsWith(`${key}.`)))
}

/** How another table shows a column: only what is named here is as it says, and its unit and direction stay. */
type Shown = Partial<Pick<Field<never>, 'header' | 'meaning' | 'rank' | 'quiet' | 'judged'>>

/** The same value, shown otherwise. */
export function pickAs<T, K extends keyof T & string>(
  fields: readonly Field<T>[],
  key: K,
  shown: Shown = {},
): Field<Pick<T, K>>[] {
  return pick(fields, [key]).map((field) => showAs(field, shown))
}

export function showAs<T>({ rank: _, quiet: __, tone: ___, ...field }: Field<T>, shown: Shown): Field<T> {
  return { ...field, ...shown }
}

/** A member of the JSON: a value, or a block of members. */
export type Member<T> = { readonly name: string } & (
  | { readonly column: Column<T>; readonly items?: readonly Member<never>[] }
  | { readonly block: ColumnBlock | undefined; readonly members: readonly Member<T>[] }
)

/** Columns as the JSON nests them, in their order. */
export function membersOf<T>(columns: readonly Column<T>[], depth = 0): Member<T>[] {
  const groups = new Map<string, Column<T>[]>()
  for (const column of columns) {
    const name = column.key.split('.')[depth] as string
    groups.set(name, [...(groups.get(name) ?? []), column])
  }
  return [...groups].map(([name, group]) => {
    const [column] = group as [Column<T>]
    if (column.key.split('.').length === depth + 1) {
      return typeof column.items === 'object' ? { name, column, items: membersOf(column.items) } : { name, column }
    }
    return { name, block: column.blocks?.[depth], members: membersOf(group, depth + 1) }
  })
}

/** A function that makes the object the JSON has of a thing. */
export function dataOf<T>(columns: readonly Column<T>[]): (item: T) => Record<string, unknown> {
  const members = membersOf(columns)
  return (item) => objectOf(members, item)
}

function objectOf<T>(members: readonly Member<T>[], item: T): Record<string, unknown> {
  const entries = members.map((member) => [member.name, dataOfMember(member, item)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

function dataOfMember<T>(member: Member<T>, item: T): unknown {
  if ('column' in member) {
    const { items } = member
    const found = member.column.value(item)
    return items && found ? Array.from(found as Iterable<never>, (one) => objectOf(items, one)) : found
  }
  const data = objectOf(member.members, item)
  const values = Object.values(data)
  if (values.length === 0) return undefined
  return member.block?.nullable && values.every((value) => value === null) ? null : data
}

/** The columns that flat data has: records are spread, lists and what nobody has left out. */
export function flatColumns<T>(columns: readonly Column<T>[], items: readonly T[]): Column<T>[] {
  return columns.flatMap((column): Column<T>[] => {
    if (column.unit === 'list') return []
    if (column.unit === 'record') return spread(column, items)
    const isOptional = column.optional || column.blocks?.some(({ optional }) => optional)
    if (isOptional && items.every((item) => column.value(item) === undefined)) return []
    return [column]
  })
}

function spread<T>(column: Column<T>, items: readonly T[]): Column<T>[] {
  const keys = new Set<string>()
  for (const item of items) for (const key of Object.keys(column.value(item) ?? {})) keys.add(key)
  return [...keys].map((key) => ({
    key: `${column.key}.${key}`,
    header: key,
    unit: 'text',
    value: (item) => {
      const record = (column.value(item) ?? {}) as Readonly<Record<string, unknown>>
      return Object.hasOwn(record, key) ? record[key] : null
    },
  }))
}
