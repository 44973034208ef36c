import { randomBytes } from 'node:crypto'

const ID_LENGTH = 25
const ORDER_ID = /^[0-9a-z]{25}-[0-9a-f]{4}$/

/**
 * An order id for a reference: 30 characters that begin with the reference in base 36. Another one for each submission, because Orange
 * takes none twice, and the page of a reply that was lost is known to nobody.
 */
export function newOrderId(reference: string): string {
  const id = BigInt(`0x${reference.replaceAll('-', '')}`)
    .toString(36)
    .padStart(ID_LENGTH, '0')
  return `${id}-${randomBytes(2).toString('hex')}`
}

export function isOrderId(text: string): boolean {
  return ORDER_ID.test(text)
}
