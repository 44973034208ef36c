/** The kind of a line, as the statement alone tells it. `other` moved no money; `failed` lines have amounts and are in no sum. */
export type LineKind = 'payment' | 'fee' | 'tax' | 'commission' | 'transfer' | 'reversal' | 'other' | 'failed'

/**
 * The classes of lines, gravest first. Each line is in exactly one class. The texts are `close.class.<class>`.
 */
export const LINE_CLASSES = [
  'paid_failed_here',
  'second_payment',
  'unknown_payment',
  'amount_differs',
  'fee_differs',
  'paid_open_here',
  'reversal',
  'matched',
  'settled_other_day',
  'transfer',
  'fee',
  'tax',
  'commission',
  'other',
  'failed',
] as const
export type LineClass = (typeof LINE_CLASSES)[number]

/** The classes of transactions, gravest first. Each is in exactly one class of its day. The texts are `close.class.<class>`. */
export const TRANSACTION_CLASSES = [
  'success_failed_there',
  'success_absent_there',
  'paid_there',
  'in_transit',
  'open',
  'failed_both',
  'matched',
] as const
export type TransactionClass = (typeof TRANSACTION_CLASSES)[number]

/** Classes that a person has to look at. */
export const GRAVE_CLASSES: ReadonlySet<string> = new Set([
  'success_failed_there',
  'paid_failed_here',
  'second_payment',
  'unknown_payment',
  'success_absent_there',
  'amount_differs',
  'fee_differs',
])
