/** What the lines of a part look like that another process wrote, but for the pieces: those are of the analysis. */
import { type ErrorCode, errorCodes } from '../../base/errors.ts'
import {
  count,
  list,
  object,
  oneOf,
  optional,
  orNull,
  record,
  type Shape,
  string,
  truth,
  whole,
} from '../../base/plain-shape.ts'
import { type Problem, problemCodes } from '../../readers/read.ts'
import type { FileBegin, FileEnd, FileFailure, FileRemains, LeftOut, PartTranscript } from './parts.ts'

export const fileBeginShape = object<FileBegin>({ file: count, name: string, named: truth, container: orNull(string) })

/** @param piece of the analysis */
export function transcriptShape(piece: Shape<unknown>): Shape<PartTranscript> {
  return object<PartTranscript>({ responses: list(orNull(whole)), piece: orNull(piece) })
}

const left = optional(object<LeftOut>({ transcripts: record(count), undated: count }))

const remains = object<FileRemains>({
  end: oneOf(['read']),
  damagedLines: count,
  problems: list(
    object<Problem>({ code: oneOf(problemCodes), line: count, detail: optional(string), count: optional(count) }),
  ),
  left,
})

const failure = object<FileFailure>({
  end: oneOf(['failed']),
  code: orNull(oneOf<ErrorCode>(errorCodes)),
  message: string,
  details: list(string),
  left,
})

export const fileEndShape: Shape<FileEnd> = (value) =>
  (value as { readonly end?: unknown }).end === 'failed' ? failure(value) : remains(value)
