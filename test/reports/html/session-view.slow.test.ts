import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { sessionSvg } from '../../../src/reports/html/session/view.ts'
import { anyText } from '../../any-text.ts'
import { pictureOf, width } from './sample-picture.ts'

/** Anything, in the namespace of SVG: what remains to be said is whether it is XML at all. */
const schema = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="http://www.w3.org/2000/svg">
  <xs:element name="svg" type="xs:anyType"/>
</xs:schema>`

async function faultsOf(pictures: readonly string[]): Promise<string[]> {
  const xml = pictures.map((contents, number) => ({ fileName: `${number}.svg`, contents }))
  const { errors } = await validateXML({ xml, schema: [schema] })
  return errors.map(({ message }) => message)
}

const hostile = [
  '</title><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  ']]>&<![CDATA[',
  '\u001b[31mred\u0007\u0000',
  '\u202eשלום עולם مرحبا',
  '\ufffe\uffff\ud800',
  'a'.repeat(5_000_000),
  '👩‍👩‍👧‍👦'.repeat(200),
]

describe('the picture of a session as SVG', () => {
  it('is XML whatever the words are, and no word is markup', async () => {
    const words = [...hostile, ...fc.sample(anyText({ maxLength: 200 }), { numRuns: 100, seed: 1 })]
    const pictures = words.map((one) => sessionSvg(pictureOf(12, one), { width }))
    expect(await faultsOf(pictures)).toEqual([])
    for (const svg of pictures) {
      expect(svg).not.toMatch(/<script|<img/)
      expect(svg).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069]/)
      expect(svg.length).toBeLessThan(30_000)
    }
  })

  it('draws a session without a request', async () => {
    const { runs, ...picture } = pictureOf(0)
    const [run] = runs
    const nothing = { ...picture, recorded: [], exchanges: [], runs: [{ ...run, cuts: [], arcs: [], absences: [] }] }
    expect(await faultsOf([sessionSvg(nothing as never, { width })])).toEqual([])
  })
})
