import { Outcomes } from '../../src/measures/outcomes.ts'
import { ToolNames } from '../../src/measures/tool-names.ts'
import type { Message } from '../../src/model/message.ts'

/** What became of the calls in these messages. */
export function outcomesOf(messages: readonly Message[]): Outcomes {
  const outcomes = new Outcomes(new ToolNames())
  addTo(outcomes, messages)
  return outcomes
}

export function addTo(outcomes: Outcomes, messages: readonly Message[]): void {
  for (const message of messages) {
    outcomes.tools.add(message)
    outcomes.add(message)
  }
}
