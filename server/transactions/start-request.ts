import type { TransactionRequest } from '#lib/schemas/transaction-request.ts'

/** What is started. The webhook's address is null for what a person starts: its result goes to the application's default address, if there is one. */
export type StartRequest = Omit<TransactionRequest, 'webhookUrl'> & { webhookUrl: string | null }
