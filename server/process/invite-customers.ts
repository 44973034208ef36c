import { setTimeout as delay } from 'node:timers/promises'
import { request } from 'undici'
import type { Pool } from '#server/database/pool.ts'
import { listAwaitingCustomers } from '#server/operators/customer-step/customer-link-store.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'

type InvitationOptions = {
  pool: Pool
  /** Of this service, as customers reach it. */
  publicUrl: string
  simulator: { url: string; secret: string }
  /** How long a tester has to open the page first. */
  afterMs: number
}

export type Invitations = { stop(): Promise<void> }

const STEP_MS = 200
/** The simulator may have been restarted, and forgets who is on the way. */
const REPEAT_MS = 5_000
const TIMEOUT_MS = 2_000
const UNREACHABLE_PAUSE_MS = 1_000

/**
 * Sends the simulated customers of a sandbox the address of their payment's page, as a partner sends it to a customer. Begins with what the
 * database says each time, so that no payment is forgotten whichever process ends when.
 */
export function startInvitations(options: InvitationOptions): Invitations {
  const sentAtMs = new Map<string, number>()
  const ending = new AbortController()

  async function step(): Promise<void> {
    const awaiting = await listAwaitingCustomers(options.pool, options.afterMs)
    const nowMs = performance.now()
    for (const [key, atMs] of sentAtMs) if (nowMs - atMs > REPEAT_MS) sentAtMs.delete(key)
    const due = awaiting.filter(({ payToken, submissions }) => !sentAtMs.has(`${payToken} ${submissions}`))
    for (const { payToken, phoneNumber, submissions } of due) {
      await invite(options, payToken, phoneNumber)
      sentAtMs.set(`${payToken} ${submissions}`, nowMs)
    }
  }

  async function pause(ms: number): Promise<void> {
    try {
      await delay(ms, undefined, { signal: ending.signal })
    } catch {
      // Ignored: the wait ends early when the process does.
    }
  }

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      try {
        await step()
        await pause(STEP_MS)
      } catch (error) {
        reportUnexpected('sandbox: customers', error, { message: 'The simulated customers could not be reached; it is tried again' })
        await pause(UNREACHABLE_PAUSE_MS)
      }
    }
  }

  const running = run()
  return {
    async stop() {
      ending.abort()
      await running
    },
  }
}

async function invite({ publicUrl, simulator }: InvitationOptions, payToken: string, phoneNumber: string): Promise<void> {
  const answer = await request(`${simulator.url}/customers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${simulator.secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ pageUrl: `${publicUrl}/pay/${payToken}`, phoneNumber }),
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  })
  await answer.body.dump()
  if (answer.statusCode !== 202) throw new Error(`The simulator answered an invitation with HTTP ${answer.statusCode}`)
}
