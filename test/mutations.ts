/** Small changes to a file of JSON, of the kind that hands, merges and broken disks make: for tests that each of them is told. */
import fc from 'fast-check'

/** Values of every type, in every range that a figure is not in. */
const odd: readonly unknown[] = [
  ...[null, true, '', '0', '<script>alert(1)</script>', '\u001b[2J', 'NaN', [], {}, [0], { $: 'NaN' }],
  ...[-1, 0.5, 1e300, -1e300, 2 ** 53 + 2, 0, 1],
]

type Way = readonly (string | number)[]

/** Every place in a value that another could stand at. */
function* waysInto(value: unknown, way: Way = []): Generator<Way> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    const next = [...way, Array.isArray(value) ? Number(key) : key]
    yield next
    yield* waysInto(inner, next)
  }
}

type Edit = (parent: Record<string, unknown> | unknown[], key: string | number) => void

function edited(value: unknown, way: Way, edit: Edit): unknown {
  const copy = structuredClone(value)
  const parent = way.slice(0, -1).reduce((inner, key) => (inner as Record<string, unknown>)[key], copy)
  edit(parent as Record<string, unknown>, way.at(-1) as string | number)
  return copy
}

const put = (parent: unknown, key: string | number, value: unknown): void => {
  Object.defineProperty(parent as object, key, { value, enumerable: true, configurable: true, writable: true })
}

const puts = (values: readonly unknown[]): fc.Arbitrary<Edit> =>
  fc.constantFrom(...values).map(
    (value): Edit =>
      (parent, key) =>
        put(parent, key, value),
  )

const editsWith = (values: readonly unknown[]): fc.Arbitrary<Edit> =>
  fc.oneof(
    puts(values),
    fc.constant<Edit>((parent, key) => {
      if (Array.isArray(parent)) parent.splice(key as number, 1)
      else delete parent[key]
    }),
    fc.constant<Edit>((parent, key) => {
      const value = (parent as Record<string, unknown>)[key]
      if (Array.isArray(parent)) parent.splice(key as number, 0, value)
      else put(parent, `${key}2`, value)
    }),
    fc.constantFrom('__proto__', 'constructor', 'x').map(
      (name): Edit =>
        (parent, key) => {
          if (Array.isArray(parent)) return
          const value = parent[key]
          delete parent[key]
          put(parent, name, value)
        },
    ),
    fc.integer({ min: -3, max: 3 }).map(
      (by): Edit =>
        (parent, key) => {
          const value = (parent as Record<string, unknown>)[key]
          if (typeof value === 'number') put(parent, key, value + by)
          else if (typeof value === 'string') put(parent, key, `${value}${by}`)
        },
    ),
  )

/**
 * A value with one change to one of its parts.
 * @param beyond what may stand there besides, that JSON has no word for
 */
export function changedValue(value: unknown, beyond: readonly unknown[] = []): fc.Arbitrary<unknown> {
  return editedValue(value, editsWith([...odd, ...beyond]))
}

/** A value with another one in one of its places. */
export function valueWithOther(value: unknown): fc.Arbitrary<unknown> {
  return editedValue(value, puts(odd))
}

function editedValue(value: unknown, edits: fc.Arbitrary<Edit>): fc.Arbitrary<unknown> {
  const ways = [...waysInto(value)]
  return fc.tuple(fc.constantFrom(...ways), edits).map(([way, edit]) => edited(value, way, edit))
}

/** A text with one change to its lines: one is left out, doubled, changed in one character, cut off, or stands elsewhere. */
export function changedLines(text: string): fc.Arbitrary<string> {
  const lines = text.split('\n')
  const at = fc.nat(lines.length - 1)
  const line = (index: number): string => lines[index] as string
  return fc
    .oneof(
      at.map((index) => lines.toSpliced(index, 1)),
      at.map((index) => lines.toSpliced(index, 0, line(index))),
      fc.tuple(at, at).map(([from, to]) => lines.toSpliced(from, 1).toSpliced(to, 0, line(from))),
      fc.tuple(at, at).map(([from, to]) => lines.with(to, line(from))),
      fc.tuple(at, fc.nat(), fc.constantFrom('0', '7', '"', '-', 'e', ',')).map(([index, place, character]) => {
        const old = line(index)
        const here = old.length === 0 ? 0 : place % old.length
        return lines.with(index, old.slice(0, here) + character + old.slice(here + 1))
      }),
      fc.tuple(at, fc.nat()).map(([index, place]) => [...lines.slice(0, index), line(index).slice(0, place % 80)]),
    )
    .map((changed) => changed.join('\n'))
}
