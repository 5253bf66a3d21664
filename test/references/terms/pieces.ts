/** What terms are made of, and what stands between them. */
import fc from 'fast-check'

export const pieces = fc.constantFrom(
  ...'/ \\ . : - _ ` # @ ~ % $ ( ) [ ] { } < > * & , ; " \' = a b n B E x 1 12 12345 é 在 里 文 。 … 😀 //  ://'.split(
    ' ',
  ),
  ...' |\n|\\n|\\t|src|auth.ts|.ts|https|http://|https://x.y|file:///|C:\\|c:\\\\|D:/|~/|../|./|a/|(app)|[id]|()|``|fooBar|foo_bar'.split(
    '|',
  ),
  ...'/foo/i|/foo/gsu|/TODO/dmvy|/foo/bin|TypeError|ENOENT|TS2345|E0382|ERR_X|HTTPServer|URLs|abc1234|0a1b2c3d|v1|1.2.3|.5|#42|#1|&#39;|getUser()'.split(
    '|',
  ),
  ...'12345678-1234-1234-1234-123456789abc|-1234|\x1b[33m|\x1b[|.go-52-x|.go-7|<system-reminder>|</system-reminder>|</div>|_é'.split(
    '|',
  ),
)
