import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Server as NetServer } from 'node:net'
import { systemClock } from '#server/clock.ts'
import type { Pool } from '#server/database/pool.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { createDeliveryLoop, type DeliveryLoop, type DeliveryLoopOptions } from './delivery-loop.ts'
import type { ClaimedDelivery } from './delivery-store.ts'

/** A request that a receiver got. */
type Received = { path: string; headers: IncomingMessage['headers']; body: string; atMs: number }

export type Receiver = { url: string; port: number; received: Received[]; close(): Promise<void> }

/** A receiver on a loopback address that notes every request in full and then lets `answer` reply. */
export async function startReceiver(answer: (response: ServerResponse, request: Received) => void, host = '127.0.0.1'): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const entry = {
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
        atMs: performance.now(),
      }
      received.push(entry)
      answer(response, entry)
    })
  })
  const port = await listen(server, host)
  opened.push(() => closeServer(server))
  return { url: `http://${host}:${port}/hook`, port, received, close: () => closeServer(server) }
}

/** Listens on a free port of a loopback address and returns the port. */
export async function listen(server: Pick<NetServer, 'listen' | 'address'>, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  // Not a pipe: it listens on a host.
  return (server.address() as AddressInfo).port
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeAllConnections()
  await closed
}

const opened: (() => unknown)[] = []

/** `closeEverything` closes this too. */
export function closeAtEnd(each: { close(): unknown }): void {
  opened.push(() => each.close())
}

/** Ends every receiver, loop and sender that a test left open, so that its file ends. */
export async function closeEverything(): Promise<void> {
  await Promise.all(opened.splice(0).map((close) => close()))
}

export type OutboxItem = { applicationId: string; transactionId: string; externalId: string }

/** Puts final transactions and their due webhooks into the database, as apply_transitions does. */
export async function addDeliveries(
  pool: Pool,
  applicationId: string,
  urls: readonly string[],
  details: { amountMinor?: bigint; message?: string } = {},
): Promise<OutboxItem[]> {
  const items = urls.map((url) => ({ applicationId, transactionId: randomUUID(), externalId: randomUUID(), url }))
  const { rows } = await pool.query<{ next: bigint }>(
    'select coalesce(max(sequence), 0) as next from transactions where application_id = $1',
    [applicationId],
  )
  await pool.query(
    `with item as (
       select i.*, row_number() over () + $3::bigint as sequence
         from json_to_recordset($1) as i ("transactionId" uuid, "externalId" uuid, url text)
     ), made as (
       insert into transactions (application_id, transaction_id, sequence, external_id, type, status, operator, currency,
           amount_minor, fee_system_minor, fee_app_minor, customer_name, phone_number, webhook_url, pay_token, message, source, created_at, final_at)
         select $2, "transactionId", sequence, "externalId", 'COLLECT', 'SUCCESS', 'MOMOCM', 'XAF', $4, 0, 0, 'Ama', '237670000001',
                url, 'token', $5, 'api', now(), now() from item
     )
     insert into webhook_deliveries (application_id, transaction_id, target, next_at, created_at)
       select $2, "transactionId", coalesce(lower(substring(url from '^[A-Za-z]+://[^/?#]+')), url), now(), now() from item`,
    [JSON.stringify(items), applicationId, rows[0]?.next ?? 0n, details.amountMinor ?? 500_000n, details.message ?? 'Transaction réussie'],
  )
  return items
}

/** A claimed attempt of a delivery that is not in the database. */
export const A_CLAIM: ClaimedDelivery = {
  applicationId: randomUUID(),
  transactionId: randomUUID(),
  resendNumber: null,
  number: 1,
  target: 'https://partner.example',
  url: 'https://partner.example/hook',
  externalId: randomUUID(),
  status: 'SUCCESS',
  amountMinor: 500_000n,
  phoneNumber: '237670000001',
  operator: 'MOMOCM',
  message: null,
  finalAt: '2026-03-01T10:00:00Z',
  dueAt: new Date(),
}

type QuickLoop = DeliveryLoop & { warnings: unknown[] }

/** A loop that may reach loopback receivers, with short pauses unless told otherwise. */
export function startLoop(pool: Pool, options: Partial<DeliveryLoopOptions> = {}): QuickLoop {
  const warnings: unknown[] = []
  const note = (details: unknown): void => {
    warnings.push(details)
  }
  const loop = createDeliveryLoop({
    pool,
    clock: systemClock,
    secretsFor: () => [],
    copiesStatusFor: () => false,
    allowsPrivateTargets: true,
    logger: { info: note, warn: note, error: note },
    gapsMs: [20, 40, 60],
    ...options,
  })
  loop.start()
  opened.push(() => loop.drain())
  return { ...loop, warnings }
}

/** Waits until no delivery of the application is due. */
export async function untilFinished(pool: Pool, applicationId: string): Promise<void> {
  await waitUntil('no delivery is due', async () => {
    const { rows } = await pool.query(`select 1 from webhook_deliveries where application_id = $1 and state = 'due' limit 1`, [
      applicationId,
    ])
    return rows.length === 0
  })
}
