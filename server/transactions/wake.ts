import type { TransactionStatus } from '#lib/transaction-status.ts'

/**
 * Tells the loops of this process, where it has them, that they have something to do: what a command committed is then sent
 * or delivered at once and not at the next idle poll. Commands that move transactions call it themselves after their commit,
 * so that no caller can forget it.
 */
export type Wake = {
  /** Operator work was added. */
  operators(): void
  /** Transactions became final, and their webhooks are due. */
  webhooks(): void
}

/** For programs without loops (the command line, tests): the loops of other processes find the work when they next look. */
export const NO_LOOPS: Wake = { operators: () => undefined, webhooks: () => undefined }

/** Wakes the loop that handles what this status leads to. */
export function wakeFor(wake: Wake, status: TransactionStatus): void {
  if (status === 'PENDING') wake.operators()
  else if (status === 'SUCCESS' || status === 'FAILED') wake.webhooks()
}
