/** What `report` needs of a transcript's text, in one reading: the content that is used again, and the names of tools. */
import { type PlainNames, ToolNames } from '../measures/tool-names.ts'
import type { Message } from '../model/message.ts'
import type { DigestKind, TranscriptHead } from '../model/trace.ts'
import { type PlainDigest, ReferenceDigest } from '../references/digest.ts'

interface PlainReported extends PlainDigest {
  readonly tools: PlainNames
}

export const reported: DigestKind = {
  name: 'content and tool names',
  of: (head, state) => new ReportedDigest(head, state as PlainReported | undefined),
  revived: (plain) => new ReportedDigest(plain as PlainReported, plain as PlainReported),
}

export class ReportedDigest extends ReferenceDigest {
  readonly tools: ToolNames

  /** @param plain a digest of a complete transcript, or the state of one that is read on with; default: an empty one */
  constructor(head: Pick<TranscriptHead, 'cwd'>, plain?: PlainReported) {
    super(head, plain)
    this.tools = new ToolNames(plain?.tools)
  }

  override add(message: Message): void {
    super.add(message)
    this.tools.add(message)
  }

  override state(): ReturnType<ReferenceDigest['state']> & PlainReported {
    return { ...super.state(), tools: this.tools.plain() }
  }

  override plain(): PlainReported {
    return { ...super.plain(), tools: this.tools.plain() }
  }
}
