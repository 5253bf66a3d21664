/**
 * Generates the man page from the lists that the help comes from: `npm run renew` writes
 * docs/ctxwin.1. test/tools/man.test.ts fails when it is stale. Only what no help says is written here.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Text as roff reads it: ASCII, no character that is a request, dashes that can be copied. */
function roff(text) {
  const ascii = text
    .replaceAll('\\', '\\e')
    .replaceAll('’', '\\(cq')
    .replaceAll('…', '...')
    .replaceAll('-', '\\-')
    .replaceAll('~', '\\(ti')
    .replaceAll('^', '\\(ha')
  const odd = ascii.match(/[^\x20-\x7e\n]/u)
  if (odd) throw new Error(`the man page has no spelling for "${odd[0]}": add one to tools/docs/man.mjs`)
  return ascii.replaceAll(/^([.'])/gm, '\\&$1')
}

/** A paragraph in lines that a terminal shows whole. */
function filled(text) {
  const lines = ['']
  for (const word of text.split(/\s+/)) {
    const longer = lines.at(-1) === '' ? word : `${lines.at(-1)} ${word}`
    if (roff(longer).length <= 80) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return roff(lines.join('\n'))
}

const bold = (text) => `\\fB${roff(text)}\\fR`
const italic = (text) => `\\fI${roff(text)}\\fR`

/** `-b, --budget <tokens>`: what is typed as it stands in bold, what it stands for in italics. */
function flagTerm(flags) {
  return flags
    .split(/(<[^>]+>|, | )/)
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('<') ? italic(part.slice(1, -1)) : part.startsWith('-') ? bold(part) : part))
    .join('')
}

const tagged = (term, text) => `.TP\n${term}\n${text}\n`
const section = (title, body) => `.SH ${title.toUpperCase()}\n${body}`
const paragraph = (text) => `.PP\n${text}\n`

/**
 * @param cli what src/cli says of itself: `commands`, `flagsOf`, `wordsOf`, `argumentsOf`, `generalFlags`, `helpFlag`, `groups`,
 *   `sentence`, `topics`
 */
export function manPage({ version, cli }) {
  const { commands, flagsOf, wordsOf, argumentsOf, generalFlags, helpFlag, groups, sentence, topics } = cli
  const shown = (flag) => tagged(flagTerm(flag.flags), filled(sentence(wordsOf(flag))))
  const visible = (command) => flagsOf(command).filter(({ hidden }) => !hidden)

  /** Each flag once, under its heading, though several commands have it. */
  const shared = new Map(Object.keys(groups).map((group) => [group, new Map()]))
  for (const flag of [...commands.flatMap(visible), helpFlag]) {
    if (flag.group !== null && flag.group !== 'general') shared.get(flag.group).set(`${flag.flags} ${flag.help}`, flag)
  }
  for (const flag of [...generalFlags, helpFlag]) shared.get('general').set(flag.flags, flag)

  const commandPart = commands
    .map((command) => {
      const argument = argumentsOf[command.inputs]
      const own = visible(command).filter(({ group }) => group === null)
      const headings = [...new Set(visible(command).map(({ group }) => group))].filter((group) => group !== null)
      const names = headings.map((group) => groups[group].replace(':', ''))
      return [
        `.SS ${roff(command.isBare ? 'without a command' : command.name)}\n`,
        `${bold(command.isBare ? 'ctxwin' : `ctxwin ${command.name}`)} [options]${argument ? ` ${italic(argument.name)}` : ''}\n`,
        paragraph(filled([sentence(command.summary), command.more].filter(Boolean).join(' '))),
        ...own.map(shown),
        paragraph(filled(`Options below: ${names.join(', ')}.`)),
        `.PP\nExample:\n.PP\n.EX\n    ${roff(command.example)}\n.EE\n`,
      ].join('')
    })
    .join('')

  const optionPart = Object.entries(groups)
    .map(
      ([group, title]) => `.SS ${roff(title.replace(':', ''))}\n${[...shared.get(group).values()].map(shown).join('')}`,
    )
    .join('')

  return [
    `.\\" Made by tools/docs/man.mjs from the lists that the help comes from.\n`,
    `.TH CTXWIN 1 "" "ctxwin ${roff(version)}" "User Commands"\n`,
    // Neither broken nor stretched: words are typed as they stand.
    '.nh\n.ad l\n',
    section('name', 'ctxwin \\- what a context\\-window policy would do to the conversations of agents\n'),
    section('synopsis', `.B ctxwin\n.RI [ command ]\n.RI [ options ]\n.RI [ inputs... ]\n`),
    section(
      'description',
      [
        filled(
          'ctxwin reads transcripts of LLM agents, replays each request under a pruning policy and a token budget, and reports where the window is cut, what is saved, what it costs with the prompt cache, and what the agent used later that had left the window. Without a command it says what the agents on this machine have recorded.',
        ),
        '\n',
        paragraph(
          filled(
            'Results go to standard output or to the file of --output-file, which is replaced when the result is complete. Notes, progress and errors go to standard error.',
          ),
        ),
      ].join(''),
    ),
    section('commands', commandPart),
    section(
      'options',
      `${filled('A command has options of the headings that it names. Those of General may stand before the command, too.')}\n${optionPart}`,
    ),
    section(
      'exit status',
      [
        tagged('.B 0', 'Fine.'),
        tagged('.B 1', roff('Findings of check.')),
        tagged(
          '.B 2',
          filled(
            'A mistake in an option, a variable or the config file, an input that cannot be read, or a result that cannot be written.',
          ),
        ),
        tagged('.B 70', 'A bug of ctxwin.'),
      ].join(''),
    ),
    section(
      'environment',
      [
        tagged(
          bold('CTXWIN_NAME'),
          filled(
            'Any setting: CTXWIN_MAX_UNPACKED is --max-unpacked. An option wins over a variable, a variable over the config file. ctxwin --print-config shows what counts.',
          ),
        ),
        tagged(bold('CTXWIN_NO_CONFIG'), filled('1 = look for no config file, as --no-config does.')),
        tagged(
          `${bold('FORCE_COLOR')}, ${bold('NO_COLOR')}, ${bold('CLICOLOR_FORCE')}, ${bold('CLICOLOR')}`,
          roff('Colours, in this order of precedence.'),
        ),
        tagged(bold('COLUMNS'), 'The width of a table that does not go to a terminal; 80 without it.'),
        tagged(
          `${bold('CLAUDE_CONFIG_DIR')}, ${bold('CODEX_HOME')}, ...`,
          filled('Where agents keep their transcripts: ctxwin list formats lists the places and their variables.'),
        ),
      ].join(''),
    ),
    section(
      'files',
      [
        tagged(
          italic('ctxwin.config.json'),
          filled(
            'In the working directory; or .jsonc, .js, .mjs, .cjs, .ts, or "ctxwin" in package.json. ctxwin check --init writes one. Code in it, or that it names, runs only where --config names it, where the project has installed ctxwin, or after ctxwin trust.',
          ),
        ),
        tagged(
          italic('~/.config/ctxwin/trust/'),
          filled(
            'What ctxwin trust has written down; elsewhere on macOS and Windows, or where XDG_CONFIG_HOME is set.',
          ),
        ),
        tagged(italic('ctxwin-baseline.json'), 'Figures that ctxwin check compares with.'),
      ].join(''),
    ),
    section(
      'pages',
      [
        filled('ctxwin help and one of these prints a page of the documentation:'),
        '\n',
        ...topics.map(({ name, summary }) => tagged(bold(name), filled(sentence(summary)))),
      ].join(''),
    ),
  ].join('')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const cli = {
    ...(await import('../../dist/cli/inputs/commands.js')),
    ...(await import('../../dist/cli/inputs/flags.js')),
    ...(await import('../../dist/cli/inputs/settings.js')),
    ...(await import('../../dist/cli/inputs/topics.js')),
  }
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  writeFileSync(fileURLToPath(new URL('../../docs/ctxwin.1', import.meta.url)), manPage({ version, cli }))
}
