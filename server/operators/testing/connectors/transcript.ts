import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { request as send } from 'undici'
import type { Connector } from '#server/operators/connector.ts'
import { startSimulator } from '#server/operators/simulator/start-simulator.ts'

/** The secret that a recorded simulator shares with its connectors. */
export const TRANSCRIPT_SECRET = 'a secret of the transcripts'

/** Headers that HTTP itself adds, and that say nothing about the protocol. */
const OF_HTTP = ['host', 'connection', 'keep-alive', 'date', 'transfer-encoding', 'content-length']

/** A simulator whose exchanges with connectors are recorded. */
export type RecordedSimulator = {
  /** The simulator itself, for what a customer does. */
  simulatorUrl: string
  /** The address to call in place of the operator's. */
  url: string
  /** Everything that was sent and answered since the last call, with every known value replaced by its name. */
  take(known: Readonly<Record<string, string>>): string
  /** Has `close` close this connector too, and returns it. */
  open(connector: Connector): Connector
  close(): Promise<void>
}

/** Starts a simulator, with a short delay, behind a proxy that records what passes. */
export async function recordSimulator(): Promise<RecordedSimulator> {
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-transcripts-'))
  const simulator = await startSimulator({ port: 0, folder, secret: TRANSCRIPT_SECRET, delayMs: 20 })
  const recorder = await startRecorder(simulator.url)
  const connectors: Connector[] = []
  return {
    simulatorUrl: simulator.url,
    url: recorder.url,
    take: recorder.take,
    open(connector) {
      connectors.push(connector)
      return connector
    },
    async close() {
      await Promise.all(connectors.map((connector) => connector.close()))
      await recorder.close()
      await simulator.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

type Recorder = Pick<RecordedSimulator, 'url' | 'take' | 'close'>

/** A proxy between a connector and a simulator that records what passes. */
export async function startRecorder(target: string): Promise<Recorder> {
  let text = ''
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const headers = Object.fromEntries(
      Object.entries(request.headers).flatMap(([name, value]) => (OF_HTTP.includes(name) ? [] : [[name, String(value)]])),
    )
    const answer = await send(`${target}${request.url ?? ''}`, {
      method: request.method === 'GET' ? 'GET' : 'POST',
      headers,
      body: body === '' ? null : body,
    })
    const answered = await answer.body.text()
    text += `> ${request.method} ${request.url}\n${linesOf('> ', headers)}${body === '' ? '' : `> ${body}\n`}`
    text += `< ${answer.statusCode}\n${linesOf('< ', answer.headers)}${answered === '' ? '' : `< ${answered}\n`}\n`
    const type = answer.headers['content-type']
    response.writeHead(answer.statusCode, type === undefined ? {} : { 'content-type': String(type) }).end(answered)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Not a pipe: it listens on a host.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    take(known) {
      const taken = Object.entries(known).reduce((result, [name, value]) => result.replaceAll(value, `{${name}}`), text)
      text = ''
      return taken
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/**
 * Compares a transcript with the golden file that a person has checked against what the operator publishes. A file that does not exist is
 * written, and the test fails once, so that somebody reads it.
 */
export function assertTranscript(file: URL, transcript: string): void {
  if (!existsSync(file)) {
    writeFileSync(file, transcript)
    assert.fail(`${file.pathname} was written: check it against what the operator publishes`)
  }
  assert.equal(transcript, readFileSync(file, 'utf8'))
}

function linesOf(mark: string, headers: Readonly<Record<string, unknown>>): string {
  return Object.entries(headers)
    .filter(([name]) => !OF_HTTP.includes(name))
    .toSorted(([left], [right]) => left.localeCompare(right))
    .map(([name, value]) => `${mark}${name}: ${String(value)}\n`)
    .join('')
}
