import type { TransactionRequest } from '#lib/schemas/transaction-request.ts'

/** What is started. The webhook's address is null for what a person starts: no program waits for its result. */
export type StartRequest = Omit<TransactionRequest, 'webhookUrl'> & { webhookUrl: string | null }
