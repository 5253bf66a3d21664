/** What `report` needs of a transcript's text, in one reading: the content that is used again, and the names of tools. */
import { ToolNames } from '../measures/tool-names.ts'
import type { Message } from '../model/message.ts'
import type { TranscriptHead } from '../model/trace.ts'
import { ReferenceDigest } from '../references/digest.ts'

export class ReportedDigest extends ReferenceDigest {
  readonly tools = new ToolNames()

  constructor(head: TranscriptHead) {
    super(head, { terms: false })
  }

  override add(message: Message): void {
    super.add(message)
    this.tools.add(message)
  }
}
