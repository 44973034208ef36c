import type { TransactionStatus } from '#lib/transaction-status.ts'

/**
 * Notifies the loops of this process, if it has them, so that what a command committed is submitted or delivered immediately and not at the
 * next idle poll. Commands that move transactions call it after their commit.
 */
export type Wake = {
  /** Operator work was added. */
  operators(): void
  /** Transactions became final, and their webhooks are due. */
  webhooks(): void
}

/** For programs without loops (the command line, tests). The loops of other processes find the work at their next poll. */
export const NO_LOOPS: Wake = { operators: () => undefined, webhooks: () => undefined }

/** Wakes the loop that handles what this status leads to. */
export function wakeFor(wake: Wake, status: TransactionStatus): void {
  if (status === 'PENDING') wake.operators()
  else if (status === 'SUCCESS' || status === 'FAILED') wake.webhooks()
}
