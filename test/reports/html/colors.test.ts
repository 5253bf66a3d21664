/** The colours of a picture, as people see them who lack one kind of cone. */
import { describe, expect, it } from 'vitest'
import { kindColors } from '../../../src/reports/html/session/style.ts'
import { kindNames } from '../../../src/reports/html/session/words.ts'

type Three = readonly [number, number, number]
type Matrix = readonly [Three, Three, Three]

/** Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB. */
const visions: Readonly<Record<string, Matrix>> = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}

const times = (matrix: Matrix, of: Three): Three =>
  matrix.map((row) => row[0] * of[0] + row[1] * of[1] + row[2] * of[2]) as unknown as Three

function linear(hex: string): Three {
  return [1, 3, 5].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  }) as unknown as Three
}

/** Björn Ottosson's OKLab, in which equal distances look about equally far apart; white and black are 100 apart. */
function seen(hex: string, vision: Matrix): Three {
  const clipped = times(vision, linear(hex)).map((one) => Math.min(1, Math.max(0, one))) as unknown as Three
  const cones = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    clipped,
  ).map(Math.cbrt) as unknown as Three
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    cones,
  ).map((one) => 100 * one) as unknown as Three
}

const distance = (a: Three, b: Three): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])

describe('the colours of the picture', () => {
  it('are seven at most', () => {
    expect(kindNames.length).toBeLessThanOrEqual(7)
    for (const theme of ['light', 'dark'] as const) expect(Object.keys(kindColors[theme])).toEqual([...kindNames])
  })

  for (const theme of ['light', 'dark'] as const) {
    for (const [vision, matrix] of Object.entries(visions)) {
      it(`are told apart in the ${theme} theme by people with ${vision === 'all' ? 'all cones' : vision}`, () => {
        const ground = theme === 'light' ? '#ffffff' : '#0d1117'
        const all = [ground, ...Object.values(kindColors[theme])].map((hex) => seen(hex, matrix))
        for (const [at, one] of all.entries()) {
          // 2 can just be seen side by side; these stand apart, and in a legend.
          for (const other of all.slice(0, at)) expect(distance(one, other)).toBeGreaterThan(12)
        }
      })
    }
  }
})
