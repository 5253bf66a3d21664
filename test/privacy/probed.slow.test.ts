/** What of a transcript leaves with a probe, stays in its journal and stands in what it prints, once a model has answered. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jsonText } from '../../src/base/json-text.ts'
import { probedApis } from '../../src/cli/inputs/commands.ts'
import { runCli } from '../cli/run.ts'
import { serveModel } from '../clients/model-server.ts'
import { kindsIn, plant, planted } from './planted.ts'
import { words } from './rows.ts'

const root = mkdtempSync(join(tmpdir(), 'ctxwin-probed-'))
plant(root)
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 10 }))

/** Parts of a token, so that no file of the project has a whole one. */
const token = ['ghp', 'Zq7Kx2Vb9Nw4Lm8Rt3Yc6Hd1Jf5Gs0Pa9Eu2'].join('_')
beforeAll(() => {
  const file = join(root, planted.session)
  // It stands where a person typed it, in a call and in a result.
  const text = readFileSync(file, 'utf8').replaceAll(/"(content|text|command)":"/g, `"$1":"${token} /home/ada/zqfile `)
  writeFileSync(file, text)
})

/** The key that is sent, of no known form. */
const key = 'zq-77aa88bb-key'

/** Says and calls what it read: the last words of the window, another tool for each size of it, and the key. */
function answer(body: Record<string, unknown>) {
  const text = jsonText(body)
  const quoted = `${text.slice(-400)} ${key}`
  const calls = [{ name: `tool${text.length % 7}`, input: { file_path: quoted, command: text.slice(200, 900) } }]
  return { calls, text: `${quoted} ${text.slice(0, 300)}` }
}

let journals = 0

async function probed(api: string, output: string, ...more: readonly string[]) {
  const server = await serveModel(api as 'chat', answer)
  const journal = join(root, `journal${journals++}.ndjson`)
  const to = ['--endpoint', server.url, '--api', api, '--ask', 'asked', '--max-requests', '999', '--per-session', '3']
  const how = ['--without-tools', '--yes', '--journal', journal, '--output', output]
  const argv = ['probe', ...(words.probe as string[]).filter((word) => word !== '--dry-run'), ...to, ...how, ...more]
  const env = { ANTHROPIC_API_KEY: key, OPENAI_API_KEY: key }
  const { code, stdout, stderr } = await runCli(argv, { cwd: root, env })
  expect(server.asked[0]?.key).toContain(key)
  await server.close()
  expect(code).toBe(0)
  const sent = server.asked.map((one) => one.text).join('\n')
  return { printed: stdout + stderr, sent, kept: readFileSync(journal, 'utf8') }
}

/** What is printed of answers depends on no API. */
const others = { anthropic: ['json'], responses: ['table'], chat: ['markdown', 'csv'] }

describe.each(probedApis)('a probe by %s', (api) => {
  it('has the words of transcripts in what is sent, kept and shown as a page, but no token and no key', async () => {
    const { printed, sent, kept } = await probed(api, 'html')
    for (const text of [printed, sent, kept]) {
      expect(kindsIn(text).size).toBeGreaterThan(2)
      expect([token, key].filter((secret) => text.includes(secret))).toEqual([])
    }
    expect(sent).toContain('[secret: ')
    expect(printed).toContain('/home/ada/zqfile')
  })

  it('with --redact has none of them anywhere', async () => {
    for (const output of ['html', ...others[api]]) {
      const { printed, sent, kept } = await probed(api, output, '--redact')
      if (output === 'html') expect(JSON.parse(dataOf(printed)).differences.length).toBeGreaterThan(0)
      for (const text of [printed, sent, kept]) {
        expect([...kindsIn(text)]).toEqual([])
        expect([key, token, token.slice(4), '/home/ada', '/ada/', root].filter((word) => text.includes(word))).toEqual(
          [],
        )
      }
      expect(sent.length).toBeGreaterThan(1000)
    }
  })
})

const dataOf = (page: string): string => /id="data">(.*?)<\/script>/s.exec(page)?.[1] ?? 'null'
