/**
 * Random conversations with tools, as ctxwin's canonical messages: parallel calls, results that never come, come late or
 * answer nothing, reasoning, messages of several lines, system messages behind the first. The same seed gives the same one.
 */
function randomNumbers(seed) {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const tools = ['read', 'grep', 'bash']

/** Its system prompt, or null, and its messages. */
export function conversation(seed) {
  const below = randomNumbers(seed)
  const word = () => 'abcdefghijklmnopqrstuvwxyz'.slice(0, 1 + below(12))
  const text = () => Array.from({ length: 1 + below(4) }, word).join(below(3) === 0 ? '\n' : ' ')
  const messages = []
  const open = []
  let calls = 0
  const say = (role, blocks, more = {}) => messages.push({ role, line: messages.length + 1, blocks, ...more })
  const texts = () => [{ type: 'text', text: text() }]
  const answer = () => {
    const { id, name } = below(20) === 0 || open.length === 0 ? { id: 'call_none' } : open.shift()
    say('tool', texts(), { callId: id, ...(name && below(2) === 0 && { toolName: name }) })
  }
  const ask = () => {
    const blocks = []
    if (below(3) === 0) blocks.push({ type: 'thinking', text: word() })
    if (below(2) === 0) blocks.push(...texts())
    if (below(6) === 0) blocks.push({ type: 'thinking', text: word() })
    for (let count = 1 + below(3); count > 0; count--) {
      const call = { type: 'call', id: `call_${calls++}`, name: tools[below(tools.length)], input: { path: word() } }
      blocks.push(call)
      open.push(call)
    }
    say('assistant', blocks)
    const late = below(8) === 0
    while (!late && open.length > 0 && below(12) > 0) answer()
  }
  const system = below(2) === 0 ? null : text()
  for (let steps = 3 + below(18); steps > 0; steps--) {
    const kind = below(20)
    if (kind < 5) say('user', texts())
    else if (kind < 14) ask()
    else if (kind < 17) say('assistant', below(8) === 0 ? [{ type: 'thinking', text: word() }] : texts())
    else if (kind < 18) answer()
    else if (kind < 19 && messages.length > 0) say('system', texts())
    else say('assistant', [])
  }
  return { system, messages }
}

/** What to ask a library about it: a budget, and settings that are chosen by the seed. */
export function chooser(seed) {
  const below = randomNumbers(seed ^ 0x5bd1e995)
  return { below, one: (list) => list[below(list.length)] }
}
