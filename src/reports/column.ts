/**
 * The column contract. A column declares everything about one value. Formats have a formatter per unit; `check` derives
 * limits from columns, the schemas and docs/metrics.md their descriptions. The columns themselves are in columns/.
 */

/**
 * A `change` is a percentage with its sign: below zero it got less, which is good. `ordinal` is an index: from 0 in
 * data, from 1 for people. A `price` is never rounded. A `flag` is true or false; people see a word or nothing. A
 * `list` is iterable; people see its length, and flat data leaves it out. A `record` is a flat column for each of its
 * keys; people see `key=value` words.
 */
export type Unit =
  | 'text'
  | 'count'
  | 'tokens'
  | 'percent'
  | 'change'
  | 'money'
  | 'price'
  | 'ordinal'
  | 'flag'
  | 'list'
  | 'record'

export interface Column<T> {
  /** The key in the JSON; with dots for a value in a block. */
  readonly key: string
  readonly header: string
  readonly unit: Unit
  /**
   * In a narrow table the columns with the highest rank are left out first, those with 0 never. Absent: only in data.
   */
  readonly rank?: number
  /** Tables leave the column out if all values are zero or absent, or the same text. */
  readonly quiet?: boolean
  /** It is a path: a table shortens it in the middle instead of at the end. */
  readonly path?: boolean
  /** It is prose: a table wraps it instead of shortening it. */
  readonly wraps?: boolean
  /**
   * A part of it would mislead: a table does not shorten it to make room for other columns, and rather leaves it out.
   */
  readonly uncut?: boolean
  /** Not every item has the value: flat data leaves the column out if none has. */
  readonly optional?: boolean
  /** Whether a value above zero is good or bad. */
  readonly tone?: 'good' | 'bad'
  /** The blocks that contain the value, the outermost first: one for each dot in the key. */
  readonly blocks?: readonly ColumnBlock[]
  /** What the items of a list are: values of one unit, or objects. */
  readonly items?: Unit | readonly Field<never>[]
  value(item: T): unknown
  /** For a percentage of countable things: the counts, which people see beside the percentage. */
  share?(item: T): Share | null | undefined
}

/** A part of a whole, as counts. */
export interface Share {
  readonly part: number
  readonly whole: number
}

/** An object in the JSON that contains the values of several columns. */
export interface ColumnBlock {
  readonly meaning: string
  /** Not every item has the block. */
  readonly optional?: boolean
  /** It may be null, and is if all its values are. */
  readonly nullable?: boolean
  /** It has the same figures as the block around it, for a part. */
  readonly part?: boolean
}

/** A column of data that is published, with a schema. */
export interface Field<T> extends Column<T> {
  /** One line. */
  readonly meaning: string
  /** The section of docs/metrics.md. */
  readonly topic?: Topic
  /** The header of the tables' column that is made of it: columns/outcome.ts. */
  readonly shownAs?: string
  /** Absent for names, places and inputs, which cannot be better. `check` accepts limits for all others. */
  readonly better?: 'lower' | 'higher'
  /** Where to look if the figure is beyond a limit; absent if no place is special. */
  readonly cause?: Cause
  /** The same for every policy and estimator: a figure of the whole file, or an extent of the transcript. */
  readonly input?: 'file' | 'extent'
  /** It may be null. */
  readonly nullable?: boolean
  /** The least possible value, if it is not the default: 0 for counts, none for percentages. */
  readonly least?: number
  /** False for a count that may have decimals. */
  readonly whole?: false
  /** The words that a text, or an item of a list, can be. */
  readonly values?: readonly string[]
}

/**
 * What a figure beyond a limit comes from: the first `item` of a list over the limit, the `request` with the largest
 * part, the first `cut`, the first request with the `fault`, or the first line with `damage`.
 */
export type Cause = 'item' | 'request' | 'cut' | 'fault' | 'damage'

export type Topic = 'identity' | 'tokens' | 'validity' | 'money' | 'references' | 'recorded'

/** Units of what is counted: whole numbers, and none of them below zero unless the column says so. */
const counted: ReadonlySet<Unit> = new Set(['count', 'tokens', 'ordinal', 'list'])

/** Whether a value is a number that the figure of a column could be. */
export function isFigureOf(
  { unit, least, whole }: Pick<Field<never>, 'unit' | 'least' | 'whole'>,
  value: unknown,
): boolean {
  if (typeof value !== 'number' || !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return false
  const isCount = counted.has(unit)
  if (value < (least ?? (isCount || unit === 'money' ? 0 : Number.NEGATIVE_INFINITY))) return false
  return !isCount || whole === false || Number.isInteger(value)
}

/** What a field that may be null is told with. */
export const nullable = { nullable: true } as const

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

/** Values in a block of the thing. If the block is absent or null, so are they. */
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

/** The value of another thing that the item has. If it has none, the value is absent or null too. */
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

/** The fields with these keys, for another thing that has the same values. */
export function pick<T, K extends keyof T & string>(
  fields: readonly Field<T>[],
  keys: readonly K[],
): Field<Pick<T, K>>[] {
  // The cast is safe: a field made by `own` reads only its key, and a field in a block only the block.
  const known = fields as readonly Field<Pick<T, K>>[]
  return keys.flatMap((key) => known.filter((field) => field.key === key || field.key.startsWith(`${key}.`)))
}

/** What another table may change about a column. Its unit and direction stay. */
type Shown = Partial<Pick<Field<never>, 'header' | 'meaning' | 'rank' | 'quiet' | 'uncut'>>

/** The fields with these keys, with changes. */
export function pickAs<T, K extends keyof T & string>(
  fields: readonly Field<T>[],
  key: K,
  shown: Shown = {},
): Field<Pick<T, K>>[] {
  return pick(fields, [key]).map((field) => showAs(field, shown))
}

export const showAs = <T>({ rank: _, quiet: __, tone: ___, ...field }: Field<T>, shown: Shown): Field<T> => ({
  ...field,
  ...shown,
})

/** Columns of which some show something else to people. @param values by key */
export const withValues = <T>(
  columns: readonly Column<T>[],
  values: Readonly<Record<string, (item: T) => unknown>>,
): Column<T>[] => columns.map((column) => ({ ...column, value: values[column.key] ?? column.value }))

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

/** A function that makes the JSON object of a thing. */
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

/** The columns of flat data: records are spread; lists and columns that no item has are left out. */
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
