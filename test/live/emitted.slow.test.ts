/** What `ctxwin emit` prints, run as its reader would: by Node from the installed package, and by Python. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { live } from '../../src/live/index.ts'
import { policies } from '../../src/policies/index.ts'
import { runCli } from '../cli/run.ts'
import { blocksOf, type Page, pages, root } from '../docs.ts'
import { longTranscript } from '../laws/transcripts.ts'
import { traceOf } from '../simulator/arbitrary.ts'
import { hasPython, Python } from './python.ts'
import { historyOf, placesIn, wires } from './wires.ts'

let place: string
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'ctxwin-emit-'))
  mkdirSync(join(place, 'node_modules'))
  symlinkSync(root, join(place, 'node_modules/ctxwin'))
})
afterAll(() => rmSync(place, { recursive: true }))

describe('what emit prints', () => {
  it('runs by Node', async () => {
    const file = join(place, 'agent.mjs')
    await runCli(['emit', '-p', 'drop-oldest', '-b', '50', '--for', 'chat', '-o', file])
    const { stdout } = await runCli(['emit', '-p', 'drop-oldest', '-b', '50', '--for', 'chat'])
    const agent = `const [history, usage] = [['user', 'assistant', 'user'].map((role) => ({ role, content: 'word '.repeat(30) }))]\n`
    writeFileSync(file, `${agent}${stdout}\nconsole.log(messages.length)\n`)
    const { stdout: said, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' })
    expect({ said, stderr }).toEqual({ said: '1\n', stderr: '' })
  })

  it.skipIf(!hasPython)('is used in Python as docs/live.md says', async () => {
    const printed = await runCli(['emit', '-p', 'knobs:unit=result,operation=mask', '-b', '100k', '--for', 'python'])
    writeFileSync(join(place, 'window.py'), printed.stdout)
    const live = pages.find(({ name }) => name === 'docs/live.md') as Page
    const code = blocksOf(live).flatMap(({ language, code }) => (language === 'python' ? [code] : []))
    const stub = `
from types import SimpleNamespace
class Block(SimpleNamespace):
    to_dict = lambda block: vars(block)
contents = [[Block(type="tool_use", id="a", name="Read", input={})], [Block(type="text", text="Two lines.")]]
requests = []
class client:
    class messages:
        def create(messages, **beside):
            requests.append(messages)
            return SimpleNamespace(content=contents[len(requests) - 1])
run = lambda name, input: "one\\ntwo"
history, model, tools = [{"role": "user", "content": "Hello"}], "claude-opus-4-5", []
`
    const agent = join(place, 'agent.py')
    writeFileSync(
      agent,
      [stub, ...code, 'print([len(one) for one in requests], requests[1][0] is history[0], len(history))\n'].join('\n'),
    )
    const { stdout, stderr } = spawnSync('python3', [agent], { encoding: 'utf8' })
    expect({ stdout, stderr }).toEqual({ stdout: '[1, 3] True 4\n', stderr: '' })
    writeFileSync(
      agent,
      [stub, ...code].join('\n').replace('[block.to_dict() for block in response.content]', 'response.content'),
    )
    expect(spawnSync('python3', [agent], { encoding: 'utf8' }).stderr).toMatch(
      /ValueError: message 1 of the history and the parts of its content are dicts: append what to_dict\(\) gives of a response\n$/,
    )
  })

  it.skipIf(!hasPython)(
    'gives by Python what the policy gives by live, of all that are compositions',
    { timeout: 180_000 },
    async () => {
      const python = new Python()
      const emitted: string[] = []
      const model = 'gpt-4.1'
      const valued = ['value:500:2+watermark:0.75', 'aged:900', 'stay:9:3:1+watermark:0.5'].map(
        (target) =>
          `knobs:trigger=pays:40:1/over,unit=step,protect=last:2,order=value,operation=strip,target=${target}`,
      )
      for (const name of [...policies.all.map(({ name }) => name), ...valued]) {
        const { stdout, stderr, code } = await runCli([
          'emit',
          '-p',
          name,
          '-b',
          '8k',
          '--model',
          model,
          '--for',
          'python',
        ])
        if (code !== 0) {
          expect(stderr).toMatch(/^ctxwin: [\w-]+ (is no composition|needs a model|needs to know what happened)/)
          continue
        }
        emitted.push(name)
        const file = join(place, `window${emitted.length}.py`)
        writeFileSync(file, stdout)
        for (const wire of wires.filter(({ api }) => api !== 'responses')) {
          const { api } = wire
          const history = historyOf(wire, traceOf(longTranscript(150), [() => 1], wire.provider))
          const requests = placesIn(wire, history).map((length) => ({ length, at: null }))
          const window = live(name, { api, budget: 8_000, model, estimator: 'bytes' })
          const expected = requests.map(({ length }) => {
            const { messages, tokens } = window.next(history.slice(0, length) as never, { at: Number.NaN })
            return [
              tokens,
              (messages as readonly object[]).map((one) =>
                history.includes(one as never) ? history.indexOf(one as never) : one,
              ),
            ]
          })
          expect(await python.ask({ file, api, history, requests }), name).toEqual(expected)
        }
      }
      python.end()
      expect(emitted).toEqual(expect.arrayContaining(['drop-oldest', 'knobs', 'spring-window', ...valued]))
    },
  )
})
