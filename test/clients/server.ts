/** A local server that gives one prepared response per request. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Delay in milliseconds. */
  readonly after?: number
}

export interface Asked {
  readonly path: string
  readonly key: string | undefined
  readonly body: Record<string, unknown>
  readonly at: number
}

export async function serve(answer: (asked: Asked, number: number) => Answer) {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => (text += chunk))
    request.on('end', () => {
      const { headers } = request
      const key = [headers['x-api-key'], headers['x-goog-api-key'], headers.authorization].flat().find(Boolean)
      const one = { path: request.url ?? '', key, body: JSON.parse(text), at: performance.now() }
      asked.push(one)
      const { status = 200, headers: own = {}, body = '', after = 0 } = answer(one, asked.length - 1)
      setTimeout(() => response.writeHead(status, { 'content-type': 'application/json', ...own }).end(body), after)
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    asked,
    close: () =>
      new Promise((closed) => {
        server.closeAllConnections()
        server.close(closed)
      }),
  }
}
