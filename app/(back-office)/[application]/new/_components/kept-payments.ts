import { EMPTY_PAYMENT, type PaymentContent } from '#lib/payments/payment-fields.ts'

// The content of a payment form, kept in this tab until it is sent or saved. The key names the person: another who signs in in
// the same tab sees nothing of it.

/** A payment that was started in this tab. */
export type KeptPayment = { externalId: string; originId: string | null; content: PaymentContent; keep: () => void; forget: () => void }

const prefixOf = (personId: string) => `payment ${personId} `

export function keepPayment(personId: string, externalId: string, kept: { originId: string | null; content: object }): void {
  sessionStorage.setItem(prefixOf(personId) + externalId, JSON.stringify(kept))
}

/** Undefined if nothing is kept, or if an earlier version kept other fields. */
export function readKept(personId: string, externalId: string): KeptPayment | undefined {
  const text = sessionStorage.getItem(prefixOf(personId) + externalId)
  const kept: unknown = text === null ? null : JSON.parse(text)
  if (!isKept(kept)) return undefined
  const { originId, content } = kept
  return {
    externalId,
    originId,
    content,
    keep: () => keepPayment(personId, externalId, { originId, content }),
    forget: () => forgetKept(personId, externalId),
  }
}

/** Every payment that this person started in this tab and neither sent nor saved. */
export function readAllKept(personId: string): KeptPayment[] {
  return Object.keys(sessionStorage)
    .filter((key) => key.startsWith(prefixOf(personId)))
    .flatMap((key) => readKept(personId, key.slice(prefixOf(personId).length)) ?? [])
    .filter(({ content: { customerName, phoneNumber, amount, purpose } }) =>
      [customerName, phoneNumber, amount, purpose].some((text) => text !== ''),
    )
}

export function forgetKept(personId: string, externalId: string): void {
  sessionStorage.removeItem(prefixOf(personId) + externalId)
}

/** Checked by hand: a schema would cost this page the whole of zod before its form is loaded. */
function isKept(value: unknown): value is { originId: string | null; content: PaymentContent } {
  if (typeof value !== 'object' || value === null || !('originId' in value) || !('content' in value)) return false
  const { originId, content } = value
  if (originId !== null && typeof originId !== 'string') return false
  if (typeof content !== 'object' || content === null) return false
  return Object.keys(EMPTY_PAYMENT).every((name) => typeof Reflect.get(content, name) === 'string')
}
