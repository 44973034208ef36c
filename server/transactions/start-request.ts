import type { TransactionRequest } from '#lib/schemas/transaction-request.ts'

/**
 * The request that is started. The webhook's address is null for a payment that a person starts: its result goes to the application's
 * default address, if there is one.
 */
export type StartRequest = Omit<TransactionRequest, 'webhookUrl'> & { webhookUrl: string | null }
