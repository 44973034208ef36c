import { randomUUID } from 'node:crypto'
import { Agent } from 'undici'

type Answer = { status: number; body: Record<string, unknown> }

/** A collect at MOMOCM; `ending` tells the simulator what to do. */
export function aCollect(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    transferMethod: 'MOMOCM',
    customerName: 'Clarisse Mbarga',
    externalId: randomUUID(),
    phoneNumber: '237677209341',
    amount: 5_000,
    webhookUrl: 'https://partner.example/hooks',
    countryName: 'CAMEROON',
    ...overrides,
  }
}

/** Connections that are kept between requests, as a partner's program keeps them. */
export function openConnections(count: number): Agent {
  return new Agent({ connections: count, pipelining: 1, keepAliveTimeout: 60_000 })
}

/** POST to an endpoint of the specification. Rejects when no whole answer came. */
export async function post(agent: Agent, baseUrl: string, path: string, headers: Record<string, string>, body?: unknown): Promise<Answer> {
  const answer = await agent.request({
    origin: baseUrl,
    path: `/api/v1/transaction/${path}`,
    method: 'POST',
    headers,
    body: body === undefined ? '' : JSON.stringify(body),
  })
  return { status: answer.statusCode, body: (await answer.body.json()) as Record<string, unknown> }
}
