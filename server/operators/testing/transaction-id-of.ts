/** What identifies an entry in the books of the simulator. */
type Booked = { protocol?: string; reference: string; context: string }

const UUID = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/

/** The transaction that an entry is about. An operator's own protocol has another reference; its context begins with the id. */
export function transactionIdOf({ protocol = 'gateway', reference, context }: Booked): string {
  if (protocol === 'gateway') return reference
  // Letters and digits only: the id without its dashes.
  if (protocol === 'airtel') return context.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  // The ids in short, as they are in the address for notifications.
  if (protocol === 'orange-web') return Buffer.from(context, 'base64url').toString('hex').slice(0, 32).replace(UUID, '$1-$2-$3-$4-$5')
  return context.split('.')[0] ?? reference
}
