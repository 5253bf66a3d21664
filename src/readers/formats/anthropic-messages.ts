/**
 * Anthropic Messages: request bodies, logs of them, request/response pairs, and the bare message lists that Cline, Roo
 * and chat programs keep.
 *
 * A body holds everything that was sent. A bare list lacks the system prompt and the tools.
 */
import { defineReader } from '../reader.ts'
import { readConversations } from '../wire/conversations.ts'
import { MessagesMapping, messagesShape } from '../wire/messages.ts'
import { likeness } from '../wire/recognise.ts'
import { ScreenCuts } from '../wire/screen-cuts.ts'
import { ScreenUsage } from '../wire/screen-usage.ts'

const session = /([^/]+)(?:\/api_conversation_history|\.messages)\.json$/

const clines = ['$CLINE_DATA_DIR', '$CLINE_DIR/data', '~/.cline/data']

/** The directories of the extensions in VS Code. */
const extensions = '{saoudrizwan.claude-dev,rooveterinaryinc.roo-cline,kilocode.kilo-code}'

export default defineReader({
  name: 'anthropic-messages',
  summary: 'Anthropic Messages: requests and message lists as JSON or JSONL',
  source: 'API logs and proxies, Cline, Roo, Kilo, programs that speak the Messages API',
  places: [
    { directories: clines.map((home) => `${home}/tasks`), files: '*/api_conversation_history.json', session },
    {
      directories: ['$CLINE_SESSION_DATA_DIR', ...clines.map((home) => `${home}/sessions`)],
      files: '*/*.messages.json',
      session,
    },
    ...[
      ['$XDG_CONFIG_HOME/Code', '~/.config/Code'],
      ['~/Library/Application Support/Code'],
      ['$APPDATA/Code'],
      ['~/.vscode-server/data'],
    ].map((directories) => ({
      directories: directories.map((directory) => `${directory}/User/globalStorage`),
      files: `${extensions}/tasks/*/api_conversation_history.json`,
      session,
    })),
  ],
  shapes: [
    ['sessionId', 'system_prompt', 'messages', 'messages.modelInfo', 'messages.metrics', 'messages.content'],
    ['system', 'max_tokens', 'messages', 'messages.role', 'messages.content'],
    ['role', 'content', 'content.type'],
    ['sessionId', 'system_prompt', 'messages', 'messages.modelInfo', 'messages.metrics'],
  ],
  recognise: (record) => likeness(record).anthropic,
  read(context) {
    // Of all that this reader takes, only the message lists of Cline, Roo and Kilo are arrays with such a file beside them.
    const shown = context.elements ? context.beside('ui_messages.json') : undefined
    const screen = { usage: new ScreenUsage(shown), cuts: new ScreenCuts(shown) }
    return readConversations(context, {
      provider: 'anthropic',
      completeAlone: false,
      shape: messagesShape,
      begin: (opening, writer, finding) => new MessagesMapping(opening, writer, finding, screen),
    })
  },
})
