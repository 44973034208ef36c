/** Where the webhook of a final transaction stands: still to be delivered, received, or given up after four attempts. */
export const WEBHOOK_STATES = ['delivered', 'due', 'exhausted'] as const
export type WebhookState = (typeof WEBHOOK_STATES)[number]
