/** A session of Claude Code that grows by a round at a time, with usage as the provider counts it. */
export interface Round {
  /** Characters of the result. */
  readonly result: number
  /** It reads again what this round's result said first. */
  readonly uses?: number
}

const session = '00000000-0000-4000-8000-000000000007'

/** When round `round` was answered, in milliseconds since the epoch. */
export const answeredAt = (round: number): number => Date.UTC(2026, 2, 1, 9, round)

/** @param model of which the rates are known @returns a prompt, then the lines of each round; the last one ends with an answer */
export function runningSession(rounds: readonly Round[], model = 'claude-sonnet-4-5-20250929'): string[] {
  let uuid: string | null = null
  let count = 0
  let input = 5_000
  const record = (type: string, message: object, time: number): string => {
    const parentUuid = uuid
    uuid = `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}`
    const common = { isSidechain: false, cwd: '/home/ada/app', sessionId: session, version: '2.1.38' }
    return `${JSON.stringify({ parentUuid, ...common, type, message, uuid, timestamp: new Date(time).toISOString() })}\n`
  }
  const answer = (round: number, content: object): string => {
    const usage = {
      input_tokens: 10,
      cache_read_input_tokens: round === 0 ? 0 : input,
      cache_creation_input_tokens: round === 0 ? input : 2_000,
      output_tokens: 50,
    }
    const about = { type: 'message', role: 'assistant', model, usage }
    return record('assistant', { id: `msg_${round}`, ...about, content: [content] }, answeredAt(round >> 1))
  }
  const lines: string[] = []
  for (const [round, { result, uses }] of rounds.entries()) {
    const prompt = record(
      'user',
      { role: 'user', content: `Round ${round}: look at the next module.` },
      answeredAt(round) - 9000,
    )
    const file_path = `/home/ada/app/src/module-${uses ?? round}.ts`
    const call = answer(2 * round, { type: 'tool_use', id: `toolu_${round}`, name: 'Read', input: { file_path } })
    const content = `module ${round} `.repeat(Math.ceil(result / 10)).slice(0, result)
    const read = record(
      'user',
      { role: 'user', content: [{ tool_use_id: `toolu_${round}`, type: 'tool_result', content }] },
      answeredAt(round),
    )
    input += Math.round(result / 4)
    lines.push(prompt + call + read + answer(2 * round + 1, { type: 'text', text: `Module ${round} is fine.` }))
  }
  return lines
}
