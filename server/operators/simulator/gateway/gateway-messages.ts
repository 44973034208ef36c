import { z } from 'zod'
import type { BookEntry } from '#server/operators/simulator/books.ts'
import type { Simulation } from '#server/operators/simulator/simulation.ts'

export const GATEWAY = 'gateway'

/** The transfer as the gateway protocol accepts it. Written apart from the connector, so that a mistake there is not repeated here. */
export const orderSchema = z.object({
  reference: z.uuid(),
  direction: z.enum(['COLLECT', 'DEPOSIT']),
  amount: z.string().regex(/^\d{1,10}(\.\d{1,2})?$/),
  currency: z.string().regex(/^[A-Z]{3}$/),
  phoneNumber: z.string().regex(/^\d{6,15}$/),
  customerName: z.string().max(400),
  context: z.string().max(100),
  callbackUrl: z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .optional(),
})
export type GatewayOrder = z.infer<typeof orderSchema>

/** The transfer as the gateway reports it. */
export function transferOf(simulation: Simulation, entry: BookEntry): Record<string, string | undefined> {
  const digits = entry.reference.replaceAll('-', '').toUpperCase()
  return {
    reference: entry.reference,
    status: entry.status,
    message: entry.message,
    operatorReference: `SIM${digits.slice(0, 17)}`,
    token: simulation.givesTokens ? `PT${digits.slice(12)}` : undefined,
    context: entry.context,
    amount: entry.amount,
    currency: entry.currency,
    phoneNumber: entry.phoneNumber,
  }
}
