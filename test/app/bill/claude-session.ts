/**
 * Sessions of Claude Code that read files and edit them later, as large as it takes for the program to compact: what the
 * fixtures are too small for.
 */
const letters = 'abcdefghijklmnopqrstuvwxyz'

/** The lines of file `file` of session `session`: no two are the same. */
function linesOf(session: number, file: number, count: number): string[] {
  return Array.from({ length: count }, (_, line) => {
    const name = `${letters[session % 26]}${letters[file % 26]}${file}_${line}`
    return `export const ${name} = compute(${session * 7919 + file * 104_729 + line}, '${name}')`
  })
}

/**
 * @param session tells it from the others
 * @param files how many files are read; behind every second one a line of an older is edited
 * @param length how many lines a file has: 240 are about 5,000 tokens
 */
export function claudeSession(session: number, files: number, length = 240): string {
  const sessionId = `00000000-0000-4000-8000-${String(session).padStart(12, '0')}`
  const records: string[] = []
  let uuid: string | null = null
  let minute = 0
  const add = (type: string, message: object): void => {
    const parentUuid = uuid
    uuid = `${sessionId.slice(0, -4)}${String(records.length).padStart(4, '0')}`
    const timestamp = new Date(Date.UTC(2026, 2, 1 + session, 9, minute++)).toISOString()
    const common = { isSidechain: false, userType: 'external', cwd: '/home/ada/app', sessionId, version: '2.1.38' }
    records.push(JSON.stringify({ parentUuid, ...common, type, message, uuid, timestamp }))
  }
  const step = (name: string, input: object, content: string): void => {
    const id = `toolu_${session}_${records.length}`
    add('assistant', {
      id: `msg_${session}_${records.length}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5-20250929',
      content: [{ type: 'tool_use', id, name, input }],
    })
    add('user', { role: 'user', content: [{ tool_use_id: id, type: 'tool_result', content }] })
  }
  add('user', { role: 'user', content: `Bring the modules of part ${session} up to date.` })
  for (let file = 0; file < files; file++) {
    const lines = linesOf(session, file, length)
    step('Read', { file_path: `/home/ada/app/src/m${file}.ts` }, lines.join('\n'))
    if (file % 2 === 0) continue
    const older = file >> 1
    const [old_string] = linesOf(session, older, 1)
    const file_path = `/home/ada/app/src/m${older}.ts`
    step('Edit', { file_path, old_string, new_string: `// gone ${file}` }, 'The file has been updated.')
  }
  return `${records.join('\n')}\n`
}
