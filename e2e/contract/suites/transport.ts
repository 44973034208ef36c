import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { before, describe, test } from 'node:test'
import { aRequest, BASE, countWritten } from '#e2e/contract/partner-program.ts'
import type { ContractService } from '#e2e/contract/service.ts'
import { errorSchema } from '#lib/schemas/api/responses.ts'

/** Below the level of what a well-behaved HTTP client sends: every answer still has the five fields, and no call hangs. */
export function describeTransport(service: () => ContractService): void {
  /** Writes bytes as they are; returns everything that arrives until the other side closes. */
  function talk(bytes: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(service().baseUrl).port), '127.0.0.1')
      let text = ''
      socket.setEncoding('utf8')
      socket.on('data', (chunk: string) => {
        text += chunk
      })
      // A reset behind the answer does not take back what was read.
      socket.on('error', (error) => (text === '' ? reject(error) : undefined))
      socket.on('close', () => resolve(text))
      socket.write(bytes)
    })
  }
  const head = (lines: string[]): string => `${lines.join('\r\n')}\r\n\r\n`
  const credentials = (): string[] => Object.entries(service().partner.headers).map(([name, value]) => `${name}: ${value}`)
  const post = (lines: string[], path = `${BASE}/collect`): string => head([`POST ${path} HTTP/1.1`, 'Host: x', ...credentials(), ...lines])

  function expectRefusal(response: string, status: number, path: string): void {
    assert.match(response, new RegExp(`^HTTP/1\\.1 ${status} `), response.slice(0, 400))
    assert.match(response, /\r\ncontent-type: application\/json\r\n/i)
    const body = errorSchema.parse(JSON.parse(bodyOf(response)))
    assert.deepEqual([body.status, body.path], [status, path])
  }

  describe('transport', () => {
    const slow = aRequest()
    let slowAnswer: Promise<string>
    // The limit is ten seconds: it runs while the other tests do.
    before(() => {
      const text = JSON.stringify(slow)
      slowAnswer = talk(post([`Content-Length: ${text.length + 1}`]) + text)
    })

    test('431 for 100 KB of headers', async () => {
      expectRefusal(await talk(post([`X-Long: ${'x'.repeat(100_000)}`, 'Content-Length: 0'])), 431, `${BASE}/collect`)
    })

    test('400 for what is not HTTP', async () => {
      expectRefusal(await talk('hello\r\n\r\n'), 400, '')
    })

    test('400 for lengths that contradict each other', async () => {
      expectRefusal(await talk(post(['Content-Length: 5', 'Transfer-Encoding: chunked'])), 400, `${BASE}/collect`)
    })

    test('404 for paths that programs read differently', async () => {
      for (const path of [
        '//api/v1/transaction/collect',
        '/api/v1/../v1/transaction/collect',
        '/api/v1/transaction/%2e/collect',
        '/api/v1/transaction\\collect',
      ]) {
        expectRefusal(await talk(post(['Content-Length: 0', 'Connection: close'], path)), 404, path)
      }
    })

    test('200 with the absolute form of a target, a chunked body and an Upgrade', async () => {
      const text = JSON.stringify(aRequest())
      const chunked = `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`
      const answer = await talk(
        post(['Transfer-Encoding: chunked', 'Connection: Upgrade, close', 'Upgrade: websocket'], `http://anything.example${BASE}/collect`) +
          chunked,
      )
      assert.match(answer, /^HTTP\/1\.1 200 /, answer.slice(0, 300))
    })

    test('100 before a body within the limit, if the request says Expect: 100-continue', async () => {
      const text = JSON.stringify(aRequest())
      const answer = await talk(post(['Expect: 100-continue', `Content-Length: ${text.length}`, 'Connection: close']) + text)
      assert.match(answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /)
    })

    test('505 for request lines of other protocols and versions', async () => {
      for (const protocol of ['HTTP/0.9', 'HTTP/2.0', 'RTSP/1.0'])
        expectRefusal(
          await talk(head([`GET ${BASE}/getByApplicationProductBalances ${protocol}`, 'Host: x'])),
          505,
          `${BASE}/getByApplicationProductBalances`,
        )
    })

    test('400 for a missing Host, and for a second Host, Authorization, apiKey or apiId', async () => {
      expectRefusal(await talk(head([`POST ${BASE}/collect HTTP/1.1`, ...credentials(), 'Content-Length: 0'])), 400, `${BASE}/collect`)
      for (const twin of ['Host: x', ...credentials().filter((line) => !line.startsWith('Content-Type'))])
        expectRefusal(await talk(post([twin, 'Content-Length: 0'])), 400, `${BASE}/collect`)
    })

    test('400 immediately for a body that is not HTTP, and nothing is written', async () => {
      const request = aRequest()
      const text = JSON.stringify(request)
      const size = text.length.toString(16)
      for (const body of [
        `zz\r\n${text}\r\n0\r\n\r\n`,
        `-1\r\n${text}\r\n0\r\n\r\n`,
        `${size}\r\n${text}XX0\r\n\r\n`,
        `${size}\r\n${text}\r\n0\r\nContent-Length: 5\r\n\r\n`,
      ]) {
        const startedMs = performance.now()
        expectRefusal(await talk(post(['Transfer-Encoding: chunked', 'Connection: close']) + body), 400, `${BASE}/collect`)
        assert.ok(performance.now() - startedMs < 5_000)
      }
      assert.equal(await countWritten(service(), [request.externalId]), 0)
    })

    test('a response for a client that closes its sending half after the request', async () => {
      const text = JSON.stringify(aRequest())
      const socket = connect({ port: Number(new URL(service().baseUrl).port), host: '127.0.0.1', allowHalfOpen: true })
      socket.end(post([`Content-Length: ${text.length}`]) + text)
      let answer = ''
      for await (const chunk of socket.setEncoding('utf8')) answer += chunk
      assert.match(answer, /^HTTP\/1\.1 200 /, answer.slice(0, 300))
    })

    test('413 that the client can read for 20 MB, declared and chunked', async () => {
      const bytes = 20 * 1024 * 1024
      for (const endpoint of ['collect', 'depositMultiple', '/public/access_token']) {
        const path = endpoint.startsWith('/') ? endpoint : `${BASE}/${endpoint}`
        expectRefusal(await talk(post([`Content-Length: ${bytes}`, 'Connection: close'], path) + ' '.repeat(bytes)), 413, path)
        const chunk = `${bytes.toString(16)}\r\n${' '.repeat(bytes)}\r\n0\r\n\r\n`
        expectRefusal(await talk(post(['Transfer-Encoding: chunked', 'Connection: close'], path) + chunk), 413, path)
      }
    })

    test('200 after many CONNECT requests and resets', async () => {
      for (let round = 0; round < 20; round++) {
        await new Promise<void>((resolve) => {
          const socket = connect(Number(new URL(service().baseUrl).port), '127.0.0.1')
          socket.on('error', () => undefined)
          socket.on('close', () => resolve())
          socket.on('connect', () => {
            socket.write('CONNECT a:1 HTTP/1.1\r\n\r\n')
            setImmediate(() => socket.resetAndDestroy())
          })
        })
      }
      assert.equal((await fetch(`${service().baseUrl}/health/live`)).status, 200)
    })

    test('408 after ten seconds for a body that never ends, and nothing is written', async () => {
      expectRefusal(await slowAnswer, 408, `${BASE}/collect`)
      assert.equal(await countWritten(service(), [slow.externalId]), 0)
    })
  })
}

/** The body of a raw answer; Next writes its answers in chunks. */
function bodyOf(response: string): string {
  const start = response.indexOf('\r\n\r\n') + 4
  const body = response.slice(start)
  if (!/^transfer-encoding: chunked$/im.test(response.slice(0, start))) return body
  const chunks = body.matchAll(/([0-9a-f]+)\r\n([\s\S]*?)\r\n(?=[0-9a-f]+\r\n)/g)
  return [...chunks].map(([, , chunk]) => chunk).join('')
}
