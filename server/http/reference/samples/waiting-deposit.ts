import type { Samples } from '#lib/partner/reference.ts'
import { DEPOSIT_REQUEST } from '#server/http/openapi/examples.ts'
import { writeSamples } from './samples.ts'

/** The example of a deposit of another amount, such as one that waits for approval. Its other fields are those of every example. */
export function writeDeposit(amount: number): Samples {
  const body = { ...DEPOSIT_REQUEST, amount }
  return writeSamples({ method: 'POST', path: '/api/v1/transaction/deposit', isOpen: false, query: [], body })
}
