/** What identifies an entry in the books of the simulator. */
type Booked = { protocol?: string | undefined; reference: string; context: string }

/** The transaction that an entry is about. An operator's own protocol has another reference; its context begins with the id. */
export function transactionIdOf({ protocol = 'gateway', reference, context }: Booked): string {
  return protocol === 'gateway' ? reference : (context.split('.')[0] ?? reference)
}
