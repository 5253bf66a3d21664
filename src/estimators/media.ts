/**
 * Tokens of images and documents: providers count pixels and pages, not the bytes of the file. The rules are from the
 * providers' documentation; figures that it lacks are marked as assumed.
 */

import { fromBase64 } from '../base/bytes.ts'
import type { Family } from '../model/families.ts'
import type { Block } from '../model/message.ts'
import { imageSize, type Size } from './image-size.ts'

export type Media = Extract<Block, { type: 'image' | 'document' }>

/** How much of an image a request asks for; `auto` where it does not say. */
export type Detail = 'low' | 'high' | 'original' | 'auto'

export interface MediaRule {
  image(size: Size, detail: Detail): number
  /** One page of a PDF. */
  readonly page: number
}

/** The size of an image that the transcript only refers to. Assumed. */
const unknownSize: Size = { width: 1024, height: 1024 }
const ceilDiv = (a: number, b: number): number => Math.ceil(a / b)

/**
 * Anthropic, "Vision": an image is scaled down to fit the long edge and the maximum of tokens, and then has a token per
 * 750 pixels. "PDF support": 1500 to 3000 tokens per page for its text and image; the middle is used.
 */
function area(longEdge: number, most: number): MediaRule {
  return {
    image: ({ width, height }) => {
      const scale = Math.min(1, longEdge / Math.max(width, height))
      return Math.max(1, Math.min(most, Math.round((width * scale * height * scale) / 750)))
    },
    page: 2250,
  }
}

/**
 * OpenAI, "Images and vision", models with tiles: an image is scaled to fit 2048 x 2048, then to a shortest side of 768;
 * each tile of 512 x 512 has a number of tokens, and so has the image as a whole; with low detail only the latter counts. A
 * page: its image at high detail, and about 500 tokens of text (assumed).
 */
function tiles(base: number, tile: number): MediaRule {
  const image: MediaRule['image'] = ({ width, height }, detail) => {
    if (detail === 'low') return base
    const fit = Math.min(1, 2048 / Math.max(width, height))
    const scale = fit * Math.min(1, 768 / (fit * Math.min(width, height)))
    return base + tile * ceilDiv(Math.round(width * scale), 512) * ceilDiv(Math.round(height * scale), 512)
  }
  return { image, page: image({ width: 1700, height: 2200 }, 'high') + 500 }
}

/** The most patches of an image, and pixels of its long edge. */
interface Limits {
  readonly patches: number
  readonly edge: number
}
const small: Limits = { patches: 1536, edge: 2048 }
const high: Limits = { patches: 2500, edge: 2048 }
const original: Limits = { patches: 10_000, edge: 6000 }
const unlimited: Limits = { patches: Infinity, edge: Infinity }
const low: Limits = { patches: 256, edge: 512 }

/**
 * OpenAI, the same guide, models with patches: 32 x 32 pixels each, the image scaled down to what its detail allows, times a
 * factor of the model. The guide has none for models that are not small; GPT-5.2 to 5.6 bill 1.2.
 */
function patches(factor: number, auto: Limits, named: Partial<Record<Detail, Limits>> = {}): MediaRule {
  const image: MediaRule['image'] = (size, detail) => {
    const { patches: most, edge } = named[detail] ?? auto
    const fit = Math.min(1, edge / Math.max(size.width, size.height))
    const [width, height] = [Math.round(size.width * fit), Math.round(size.height * fit)]
    let [columns, rows] = [ceilDiv(width, 32), ceilDiv(height, 32)]
    if (columns * rows > most) {
      const shrink = Math.sqrt((32 * 32 * most) / (width * height))
      const [across, down] = [(width * shrink) / 32, (height * shrink) / 32]
      const whole = Math.min(Math.floor(across) / across || 1, Math.floor(down) / down || 1)
      columns = ceilDiv(Math.floor(width * shrink * whole), 32)
      rows = ceilDiv(Math.floor(height * shrink * whole), 32)
    }
    return Math.ceil(Math.max(1, Math.min(most, columns * rows)) * factor)
  }
  return { image, page: image({ width: 1700, height: 2200 }, 'high') + 500 }
}

/**
 * Google, "Image understanding": 258 tokens up to 384 pixels on both sides, else 258 for each crop unit. "Document
 * processing": 258 per page.
 */
const crops: MediaRule = {
  image: ({ width, height }) => {
    if (width <= 384 && height <= 384) return 258
    const unit = Math.min(768, Math.max(256, Math.floor(Math.min(width, height) / 1.5)))
    return 258 * ceilDiv(width, unit) * ceilDiv(height, unit)
  },
  page: 258,
}

/** Google, "Media resolution": the defaults of Gemini 3. */
const budgeted: MediaRule = { image: () => 1120, page: 560 }

/** "High-resolution image support" came with Opus 4.7, together with its tokenizer. */
const ofClaude: Partial<Record<Family, MediaRule>> = { 'claude-4.6': area(1568, 1568), 'claude-4.7': area(2576, 4784) }

/** The first pattern found in the lower-cased name. */
const rules: readonly (readonly [pattern: RegExp, rule: MediaRule])[] = [
  [/gemini-(?:[3-9]|\d{2})/, budgeted],
  [/gemini|gemma/, crops],
  [/gpt-4o-mini/, tiles(2833, 5667)],
  [/gpt-(?:4[.-]1|5(?:[.-]\d)?)-nano/, patches(2.46, small)],
  [/gpt-(?:4[.-]1|5(?:[.-]\d)?)-mini/, patches(1.62, small)],
  [/o4-mini/, patches(1.72, small)],
  [/gpt-5(?:[.-]1)?-codex-mini|gpt-5[.-][23](?!\d)/, patches(1.2, small)],
  [/gpt-5[.-]4(?!\d)/, patches(1.2, high, { original, low })],
  [/gpt-5[.-]5(?!\d)/, patches(1.2, original, { high, low })],
  [/gpt-(?:5[.-](?:[6-9]|\d\d)(?!\d)|[6-9]|1\d)/, patches(1.2, unlimited, { high, low })],
  [/gpt-5/, tiles(70, 140)],
  [/^o[13]/, tiles(75, 150)],
]
const anyModel: MediaRule = tiles(85, 170)

/** The rule of a model; for an unknown model that of its family, which for most is GPT-4o's. */
export function mediaRule(family: Family, model: string | null): MediaRule {
  const name = (model ?? family).toLowerCase().replace(/^.*\//, '')
  return ofClaude[family] ?? rules.find(([pattern]) => pattern.test(name))?.[1] ?? anyModel
}

/** Tokens of an image or a document. */
export function mediaTokens(rule: MediaRule, block: Media, detail: Detail = 'auto'): number {
  if (block.type === 'image') return rule.image((block.data && imageSize(block.data)) || unknownSize, detail)
  return rule.page * (block.data ? pages(block.data) : 1)
}

/** A character for each byte: what is looked for is ASCII. */
const decoder = new TextDecoder('latin1')

/** Pages of a PDF: its page objects, or the count in its page tree if they are compressed; at least one. */
function pages(base64: string): number {
  const text = decoder.decode(fromBase64(base64))
  const objects = text.match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length ?? 0
  if (objects > 0) return objects
  let most = 1
  for (const [, count] of text.matchAll(/\/Count\s+(\d{1,4})(?!\d)/g)) most = Math.max(most, Number(count))
  return most
}
