/** The state of a final transaction's webhook: due, delivered, or exhausted after four attempts. */
export const WEBHOOK_STATES = ['delivered', 'due', 'exhausted'] as const
export type WebhookState = (typeof WEBHOOK_STATES)[number]
