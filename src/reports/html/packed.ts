/**
 * Figures as text of the page, deflated: in it they take a quarter of the room. Words of transcripts are never packed.
 */
import { deflateRawSync } from 'node:zlib'

export const packed = (bytes: Uint8Array | string): string => deflateRawSync(bytes, { level: 9 }).toString('base64')
