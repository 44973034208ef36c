import { idsIn } from '../orange-web/messages.ts'

/** The identity of an entry in the books of the simulator. */
type Booked = { protocol?: string; reference: string; context: string }

/** The transaction that an entry is about. An operator's own protocol has another reference; its context begins with the id. */
export function transactionIdOf({ protocol = 'gateway', reference, context }: Booked): string {
  if (protocol === 'gateway') return reference
  // Letters and digits only: the id without its dashes.
  if (protocol === 'airtel') return context.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  if (protocol === 'orange-web') return idsIn(context)?.reference ?? reference
  return context.split('.')[0] ?? reference
}
