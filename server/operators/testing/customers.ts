import { setTimeout as delay } from 'node:timers/promises'
import { request } from 'undici'
import type { Pool } from '#server/database/pool.ts'
import type { Connectors } from '#server/operators/connector.ts'
import { enterCode } from '#server/operators/customer-step/enter-code.ts'
import { findCustomerPayment, listAwaitingCustomers } from '../customer-step/customer-link-store.ts'

const STEP_MS = 10

type Customers = { pool: Pool; connectors: Connectors; simulatorUrl(): string; onEntered(): void }

/** Dials at the simulator for every payment that awaits a code, and enters what comes back, without a page. */
export function startCustomers({ pool, connectors, simulatorUrl, onEntered }: Customers): { stop(): Promise<void> } {
  let isRunning = true

  async function pay(payToken: string, phoneNumber: string): Promise<void> {
    const payment = await findCustomerPayment(pool, payToken)
    const step = payment && connectors.get(payment.operator)?.customerStep
    if (!payment || typeof step !== 'object') return
    const search = new URLSearchParams({ msisdn: phoneNumber, dial: step.dial(payment.amountMinor) })
    const answer = await request(`${simulatorUrl()}/phone?${search}`).catch(() => undefined)
    const { code } = ((await answer?.body.json()) ?? {}) as { code?: string }
    if (code !== undefined && (await enterCode(pool, payToken, code, step.codeLength)).ok) onEntered()
  }

  async function run(): Promise<void> {
    while (isRunning) {
      const awaiting = await listAwaitingCustomers(pool, 0)
      await Promise.all(awaiting.map(({ payToken, phoneNumber }) => pay(payToken, phoneNumber)))
      await delay(STEP_MS)
    }
  }

  const running = run()
  return {
    async stop() {
      isRunning = false
      await running
    },
  }
}
