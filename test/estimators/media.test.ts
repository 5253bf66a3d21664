import { describe, expect, it } from 'vitest'
import { imageSize } from '../../src/estimators/image-size.ts'
import { mediaRule, mediaTokens } from '../../src/estimators/media.ts'
import { familyOf } from '../../src/model/families.ts'

const base64 = (...parts: (string | readonly number[])[]): string =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  ).toString('base64')
const be16 = (value: number): number[] => [value >> 8, value & 255]
const be32 = (value: number): number[] => [...be16(value >>> 16), ...be16(value & 0xffff)]
const le = (value: number, bytes: number): number[] =>
  Array.from({ length: bytes }, (_, at) => (value >> (8 * at)) & 255)
const rest = Array(32).fill(0)

const png = (width: number, height: number) =>
  base64('\x89PNG\r\n\x1a\n', be32(13), 'IHDR', be32(width), be32(height), rest)
const jpeg = (width: number, height: number, notes = 10) =>
  base64(
    [0xff, 0xd8, 0xff, 0xe1],
    be16(notes + 2),
    Array(notes).fill(7),
    [0xff, 0xff, 0xc2, ...be16(17), 8],
    be16(height),
    be16(width),
    rest,
  )

describe('imageSize', () => {
  it('reads each format', () => {
    expect(imageSize(png(640, 480))).toEqual({ width: 640, height: 480 })
    expect(imageSize(jpeg(640, 480))).toEqual({ width: 640, height: 480 })
    expect(imageSize(jpeg(640, 480, 60_000))).toEqual({ width: 640, height: 480 })
    expect(imageSize(base64('GIF89a', le(640, 2), le(480, 2), rest))).toEqual({ width: 640, height: 480 })
    expect(imageSize(base64('RIFF0000WEBPVP8X', be32(0), be32(0), le(639, 3), le(479, 3), rest))).toEqual({
      width: 640,
      height: 480,
    })
    expect(imageSize(base64('RIFF0000WEBPVP8L', be32(0), [0x2f], le(639 | (479 << 14), 4), rest))).toEqual({
      width: 640,
      height: 480,
    })
    expect(
      imageSize(
        base64('RIFF0000WEBPVP8 ', be32(0), rest.slice(0, 3), [0x9d, 0x01, 0x2a], le(640, 2), le(480, 2), rest),
      ),
    ).toEqual({ width: 640, height: 480 })
  })

  it('says null for anything else', () => {
    for (const data of [
      '',
      '!!!',
      base64('%PDF-1.7', rest),
      png(0, 5),
      base64([0xff, 0xd8, 0, 0], rest),
      base64([0xff, 0xd8, 0xff, 0xe0, 0, 0], rest),
      base64([0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff], rest),
    ])
      expect(imageSize(data)).toBe(null)
  })
})

// Each row is an example from the provider's documentation, or calculated from it by hand.
it.each([
  ['gpt-4o', 1024, 1024, 765],
  ['gpt-4o', 2048, 4096, 1105],
  ['gpt-4.1', 512, 512, 255],
  ['gpt-5', 1024, 1024, 630],
  ['o3', 512, 512, 225],
  ['gpt-4o-mini', 512, 512, 8500],
  ['gpt-5-mini', 1024, 1024, Math.ceil(1024 * 1.62)],
  ['gpt-4.1-nano', 1800, 2400, Math.ceil(1452 * 2.46)],
  ['gpt-5-mini', 4000, 1474, Math.ceil(64 * 24 * 1.62)],
  ['gpt-5.4-nano', 1024, 1024, Math.ceil(1024 * 2.46)],
  ['gpt-5-2025-08-07', 1024, 1024, 630],
  ['gpt-5.1-codex', 1024, 1024, 630],
  ['gpt-5.1-codex-mini', 1280, 720, 1104],
  ['gpt-5.3-codex', 1280, 720, 40 * 23 * 1.2],
  ['gpt-5.3-codex', 4000, 4000, Math.ceil(39 * 39 * 1.2)],
  ['gpt-5.4', 4000, 4000, 50 * 50 * 1.2],
  ['gpt-5.5', 4000, 4000, 100 * 100 * 1.2],
  ['gpt-5.6-sol', 4000, 4000, 125 * 125 * 1.2],
  ['gpt-6-astra', 640, 480, 360],
  ['o4-mini', 32, 33, Math.ceil(2 * 1.72)],
  ['claude-opus-4-6', 1000, 1000, 1333],
  ['claude-opus-4-6', 200, 200, 53],
  ['claude-opus-4-6', 4000, 4000, 1568],
  ['claude-opus-4-7', 2000, 1000, 2667],
  ['claude-opus-5', 9000, 9000, 4784],
  ['claude-sonnet-4-5-20250929', 5000, 5000, 1568],
  ['gemini-2.5-pro', 384, 384, 258],
  ['gemini-2.5-pro', 960, 540, 258 * 6],
  ['gemini-3-pro', 5000, 5000, 1120],
])('%s prices %i x %i at %i tokens', (model, width, height, tokens) => {
  const block = { type: 'image', mediaType: 'image/png', bytes: 1, data: png(width, height) } as const
  expect(mediaTokens(mediaRule(familyOf(model).family, model), block)).toBe(tokens)
})

it.each([
  ['gpt-5.4', 'original', 100 * 100 * 1.2],
  ['gpt-5.5', 'high', 50 * 50 * 1.2],
  ['gpt-5.6-sol', 'high', 50 * 50 * 1.2],
  ['gpt-5.6-sol', 'low', Math.ceil(16 * 16 * 1.2)],
  ['gpt-5.3-codex', 'high', Math.ceil(39 * 39 * 1.2)],
  ['gpt-4o', 'low', 85],
  ['gpt-4o', 'original', 765],
] as const)('%s prices 4000 x 4000 with detail %s at %i tokens', (model, detail, tokens) => {
  const block = { type: 'image', mediaType: 'image/png', bytes: 1, data: png(4000, 4000) } as const
  expect(mediaTokens(mediaRule('o200k', model), block, detail)).toBe(tokens)
})

it('prices documents by their pages', () => {
  const document = (data?: string) =>
    ({ type: 'document', mediaType: 'application/pdf', bytes: 0, ...(data && { data }) }) as const
  const rule = mediaRule('claude-4.6', 'claude-opus-4-6')
  expect(mediaTokens(rule, document())).toBe(rule.page)
  expect(mediaTokens(rule, document(base64('%PDF /Type /Pages /Count 2 /Type /Page /Type/Page>>')))).toBe(2 * rule.page)
  expect(mediaTokens(rule, document(base64('%PDF /Count 7 packed')))).toBe(7 * rule.page)
})
