/** Texts and bytes wherever JavaScript runs: in a browser there is no `Buffer`. */

const isNode = typeof Buffer !== 'undefined'

/** Bytes of the text in UTF-8; half a surrogate pair is written as U+FFFD, in three. */
export function utf8Length(text: string): number {
  return isNode ? Buffer.byteLength(text) : utf8LengthAnywhere(text)
}

/** The same by what every engine has. */
export function utf8LengthAnywhere(text: string): number {
  let bytes = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const isPair = (code & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : isPair ? 4 : 3
    if (isPair) at++
  }
  return bytes
}

/** The bytes that a text in base64 stands for; what is no base64 is passed over, as far as the engine can. */
export function fromBase64(base64: string): Uint8Array {
  return isNode ? Buffer.from(base64, 'base64') : fromBase64Anywhere(base64)
}

/** The same by what every engine has. */
export function fromBase64Anywhere(base64: string): Uint8Array {
  const [known = ''] =
    /^[^=]*/.exec(
      base64
        .replace(/-/g, '+')
        .replace(/_/g, '/')
        .replace(/[^A-Za-z0-9+/=]/g, ''),
    ) ?? []
  // A single character behind the last four has no whole byte.
  const whole = known.length % 4 === 1 ? known.slice(0, -1) : known
  return Uint8Array.from(atob(whole), (unit) => unit.charCodeAt(0))
}
