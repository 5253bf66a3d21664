/** `help`: the flags of a command, a page of docs/, or the list of both. */
import { readFileSync } from 'node:fs'
import { type Column, CtxwinError, reports } from '../../app/index.ts'
import { closest } from '../../base/closest.ts'
import type { Call } from '../inputs/call.ts'
import { namedCommands } from '../inputs/commands.ts'
import { type Topic, topicGroups, topics } from '../inputs/topics.ts'
import { openOutput } from '../output/io.ts'
import { renderTopic } from '../output/render-topic.ts'

/** The group stands beside its first page alone. */
const columns: readonly Column<Topic>[] = [
  { key: 'group', header: 'group', unit: 'text', rank: 0, value: (topic) => (isFirst(topic) ? groupOf(topic) : '') },
  { key: 'topic', header: 'page', unit: 'text', rank: 0, value: ({ name }) => name },
  { key: 'summary', header: 'what it says', unit: 'text', rank: 0, wraps: true, value: ({ summary }) => summary },
]

const groupOf = ({ group }: Topic): string => topicGroups[group]
const isFirst = (topic: Topic): boolean => topics.find(({ group }) => group === topic.group) === topic

export async function run({ world, inputs, showHelp }: Call): Promise<number> {
  const output = openOutput(world, null)
  const [name] = inputs
  if (name === undefined) {
    showHelp()
    await output.write(['\n', ...reports.get('table').rows(columns, topics, output.looks)])
    return 0
  }
  const isCommand = namedCommands.some((command) => command.name === name)
  const isTopic = topics.some((topic) => topic.name === name)
  if (!isCommand && !isTopic) {
    const names = [...namedCommands, ...topics].map(({ name }) => name)
    throw new CtxwinError('unknown-name', 'topic', name, closest(name, names, 'ctxwin help lists all'))
  }
  if (isCommand) showHelp(name)
  if (isCommand && isTopic) await output.write(['\n'])
  if (isTopic) await output.write(renderTopic(pageOf(name), topicOf, output))
  return 0
}

function pageOf(topic: string): string {
  return readFileSync(new URL(`../../../docs/${topic}.md`, import.meta.url), 'utf8')
}

/** `cost.md#what-is-billed` is `cost`. */
function topicOf(href: string): string | null {
  const [, name = ''] = /^([\w-]+)\.md(?:#|$)/.exec(href) ?? []
  return topics.some((topic) => topic.name === name) ? name : null
}
