const HIDDEN = '***'
/** Parameters that carry a receiver's secret. */
const SECRET_NAME = /token|secret|passw|pwd|auth|sig|key|credential|session|jwt|otp|hmac/i
/** Keys and tokens are at least this long and contain no spaces. */
const SECRET_VALUE = /^[\w\-.~+/=%!*']{20,}$/

/**
 * Returns a webhook's address as people may see it: without user name, password and fragment, and with `***` for the values of parameters
 * that are named like a secret or look like one. The rest stays exactly as it was written; `***` for what is no http or https address.
 */
export function hideSecrets(address: string): string {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return HIDDEN
  const [beforeFragment = ''] = address.split('#', 1)
  const question = beforeFragment.indexOf('?')
  const place = question < 0 ? beforeFragment : beforeFragment.slice(0, question)
  const shown = withoutCredentials(place)
  return question < 0
    ? shown
    : `${shown}?${beforeFragment
        .slice(question + 1)
        .split('&')
        .map(hideParameter)
        .join('&')}`
}

/** Returns `scheme://user:password@host/path` without the user name and password. */
function withoutCredentials(place: string): string {
  const begin = place.indexOf('//') + 2
  const slash = place.slice(begin).search(/[/\\]/)
  const end = slash < 0 ? place.length : begin + slash
  return place.slice(0, begin) + place.slice(place.slice(0, end).lastIndexOf('@') + 1 || begin)
}

function hideParameter(parameter: string): string {
  const equals = parameter.indexOf('=')
  if (equals < 0) return SECRET_VALUE.test(parameter) ? HIDDEN : parameter
  const [name, value] = [parameter.slice(0, equals), parameter.slice(equals + 1)]
  const isSecret = value !== '' && (SECRET_NAME.test(decode(name)) || SECRET_VALUE.test(value))
  return isSecret ? `${name}=${HIDDEN}` : parameter
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // No percent escape: shown as it is.
    return text
  }
}

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
