// The HTTP exchanges of one transaction and nothing else: takes the request, submits it to the operator, takes the callback, queries the
// operator, sends the webhook. node:http and undici; nothing is checked, signed or stored.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent } from 'undici'

type Place = { operator: string; url: string; secret: string; currency: string }
type Order = { transferMethod: string; externalId: string; phoneNumber: string; amount: number; webhookUrl: string; customerName: string }

const CONTEXT = '00000000-0000-4000-8000-100000000000'
const SIGNATURE = `v1,${Buffer.alloc(32, 7).toString('base64')}`
const agent = new Agent({ connections: 64, pipelining: 1 })
const receivers = new Agent({ connections: 8, pipelining: 1 })
const open = new Map<string, Order>()
let places = new Map<string, Place>()
let ownUrl = ''

const server = createServer((incoming, outgoing) => {
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
  incoming.on('end', () => {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString())
    if (isCallback(incoming)) takeCallback(body as { reference: string }, outgoing)
    else takeOrder(body as Order, incoming.url ?? '', outgoing)
  })
})
server.keepAliveTimeout = 65_000
server.listen(0, '127.0.0.1', () => {
  // An http server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo
  ownUrl = `http://127.0.0.1:${port}`
  process.send?.(port)
})
process.on('message', (message: Place[]) => {
  places = new Map(message.map((place) => [place.operator, place]))
})
process.once('disconnect', () => process.exit())

function isCallback({ url = '' }: IncomingMessage): boolean {
  return url.startsWith('/operators/callback/')
}

function takeOrder(order: Order, path: string, outgoing: ServerResponse): void {
  const transactionId = randomUUID()
  open.set(transactionId, order)
  answer(outgoing, { ...order, transactionId, transactionStatus: 'PENDING', payToken: transactionId, createdAt: new Date().toISOString() })
  void submit(transactionId, order, path.endsWith('collect') ? 'COLLECT' : 'DEPOSIT')
}

async function submit(reference: string, order: Order, direction: string): Promise<void> {
  const place = placeOf(order)
  const { body } = await agent.request({
    origin: place.url,
    path: `/v1/${place.operator}/transfers`,
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${place.secret}` },
    body: JSON.stringify({
      reference,
      direction,
      amount: String(order.amount),
      currency: place.currency,
      phoneNumber: order.phoneNumber,
      customerName: order.customerName,
      context: CONTEXT,
      callbackUrl: `${ownUrl}/operators/callback/${place.operator}`,
    }),
  })
  JSON.parse(await body.text())
}

function takeCallback({ reference }: { reference: string }, outgoing: ServerResponse): void {
  answer(outgoing, { received: true })
  const order = open.get(reference)
  if (order) void finish(reference, order)
}

async function finish(reference: string, order: Order): Promise<void> {
  open.delete(reference)
  const place = placeOf(order)
  const queried = await agent.request({
    origin: place.url,
    path: `/v1/${place.operator}/transfers/${reference}`,
    method: 'GET',
    headers: { authorization: `Bearer ${place.secret}` },
  })
  const transfer = JSON.parse(await queried.body.text()) as { status: string }
  const { origin, pathname } = new URL(order.webhookUrl)
  const sent = await receivers.request({
    origin,
    path: pathname,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': `msg_${reference}`,
      'webhook-timestamp': '1700000000',
      'webhook-signature': SIGNATURE,
    },
    body: JSON.stringify({
      externalId: order.externalId,
      transactionId: reference,
      status: transfer.status,
      amount: order.amount,
      phoneNumber: order.phoneNumber,
      transferMethod: order.transferMethod,
      message: 'The transaction succeeded',
      timestamp: new Date().toISOString(),
    }),
  })
  await sent.body.dump()
}

function placeOf({ transferMethod }: Order): Place {
  const place = places.get(transferMethod)
  if (!place) throw new Error(`There is no operator ${transferMethod}`)
  return place
}

function answer(outgoing: ServerResponse, body: object): void {
  const text = JSON.stringify(body)
  outgoing.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(text))])
  outgoing.end(text)
}
