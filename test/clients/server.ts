/** A local server that gives one prepared response per request. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Delay in milliseconds. */
  readonly after?: number
  /** Bytes of the body behind which the connection is broken off. */
  readonly cut?: number
  /** Milliseconds of silence behind `cut`, where that is there, or else behind the whole body, before the end. */
  readonly silence?: number
}

export interface Asked {
  readonly path: string
  readonly key: string | undefined
  /** As it came. */
  readonly text: string
  readonly body: Record<string, unknown>
  readonly at: number
}

export async function serve(answer: (asked: Asked, number: number) => Answer) {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const { headers } = request
      const key = [headers['x-api-key'], headers['x-goog-api-key'], headers.authorization].flat().find(Boolean)
      const text = Buffer.concat(chunks).toString('utf8')
      const one = { path: request.url ?? '', key, text, body: JSON.parse(text), at: performance.now() }
      asked.push(one)
      const given = answer(one, asked.length - 1)
      setTimeout(() => send(response, given), given.after ?? 0)
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

function send(response: ServerResponse, { status = 200, headers = {}, body = '', cut, silence = 0 }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  if (cut === undefined && silence === 0) {
    response.end(body)
    return
  }
  // What is written reaches the client before the connection breaks.
  response.write(Buffer.from(body).subarray(0, cut), () =>
    setTimeout(() => (cut === undefined ? response.end() : response.destroy()), silence),
  )
}
