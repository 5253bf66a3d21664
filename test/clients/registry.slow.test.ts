/** npm asks a registry on this machine. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publishedVersion } from '../../src/clients/registry.ts'
import { runCli } from '../cli/run.ts'

const cache = mkdtempSync(join(tmpdir(), 'ctxwin-registry-'))
const asked: string[] = []
const versions: Record<string, string> = { '@github/copilot': '1.0.102', odd: '1.0.0' }
let server: Server
let env: Record<string, string | undefined>

beforeAll(async () => {
  server = createServer((request, response) => {
    const name = decodeURIComponent((request.url ?? '').slice(1))
    asked.push(name)
    const version = versions[name]
    const packument = { name, 'dist-tags': { latest: version }, versions: { [version ?? '']: { name, version } } }
    const body = JSON.stringify(version === undefined ? { error: 'not found' } : packument)
    response.writeHead(version === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(body)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  env = { PATH: process.env.PATH, HOME: cache, npm_config_registry: url, npm_config_cache: cache }
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
  rmSync(cache, { recursive: true, maxRetries: 10, retryDelay: 500 })
})

describe('the registry of npm', () => {
  it('says which version is published, and is sent nothing but the name', async () => {
    expect(await publishedVersion('@github/copilot', env)).toBe('1.0.102')
    expect(asked).toEqual(['@github/copilot'])
  })

  it('refuses in one clear line, as does a machine without npm', async () => {
    await expect(publishedVersion('no-such-package', env)).rejects.toThrow(
      'cannot find out which version of no-such-package is published: npm says E404',
    )
    await expect(publishedVersion('odd', { ...env, PATH: cache })).rejects.toThrow('there is no npm here')
    const nowhere = { ...env, npm_config_registry: 'http://127.0.0.1:9' }
    await expect(publishedVersion('odd', nowhere)).rejects.toThrow('npm says ECONNREFUSED')
    await expect(publishedVersion('a; b', env)).rejects.toThrow('no package is named')
  })

  it('is asked by `policies --stale` alone', async () => {
    const before = asked.length
    const { stdout, code } = await runCli(
      ['list', 'policies', '--stale', 'copilot-compact', 'keep-all', '--output', 'json'],
      {
        env,
      },
    )
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject([
      { name: 'copilot-compact', package: '@github/copilot', published: '1.0.102', stale: true },
    ])
    await runCli(['list', 'policies', 'copilot-compact'], { env })
    expect(asked.length).toBe(before + 1)
  })
})
