import { hideSecrets } from './hide-secrets.ts'

export const WEBHOOK_URL_LENGTH_MAX = 2_048

// Refuses what a URL parser would repair silently (spaces, line ends, backslashes, a missing //).
const WEB_ADDRESS = /^https?:\/\/[^\s/?#\\][^\s\\]*$/i

/** Whether webhooks can be sent to this address. */
export function isWebhookUrl(text: string): boolean {
  return text.length <= WEBHOOK_URL_LENGTH_MAX && WEB_ADDRESS.test(text) && URL.canParse(text)
}

/** The same without a password or token, for an address that is shown to people and recorded: webhooks are signed, so none is needed. */
export function isShownWebhookUrl(text: string): boolean {
  return isWebhookUrl(text) && hideSecrets(text) === text
}
