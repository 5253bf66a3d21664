/** A model is asked to write a summary that a policy puts in place of messages. */
import type { Message } from '../../model/message.ts'

/** What no program's own prompt is needed for; `--summary-prompt` gives another one. */
export const usualSummaryPrompt = `This conversation is about to be cut: what stands above leaves the window, and only your answer to this message stays. Write down all that is needed to go on with the work exactly where it is:

1. What was asked for, in the user's own words where they matter, and what is still open.
2. What was found out and decided, and why.
3. Every file, command, name, value and error that is still needed, spelled exactly.
4. What was done last, and what comes next.

Answer with the text of the summary alone. Do not call a tool.`

/** The messages of a request for a summary of others: the API wants a user to speak first, and last. */
export function summaryRequest(read: readonly Message[], prompt = usualSummaryPrompt): Message[] {
  const first = read.find(({ role }) => role !== 'system')
  const opening = first?.role === 'user' ? [] : [said('[The conversation goes on from here.]')]
  return [...opening, ...read, said(prompt)]
}

/** What a model wrote, in place of the message that stood for it. */
export function writtenSummary({ role, line }: Message, text: string): Message {
  return { role, line, blocks: [{ type: 'text', text }] }
}

const said = (text: string): Message => ({ role: 'user', line: 0, blocks: [{ type: 'text', text }] })
