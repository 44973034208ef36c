/** The characters of an address; all others are percent-encoded. */
const WRITTEN = /^\/[\w\-./?=&%,:~+*!'()$@]*$/
const LENGTH_MAX = 4_096
/** An empty or dot segment, or a backslash, which a browser reads as a slash. */
const LEADS_ELSEWHERE = /\/\/|\\|\/\.{1,2}(?:\/|$)/
const CONTROL = /\p{Cc}/u
/** First segments that are not pages: addresses for programs, and addresses that act. */
const NOT_PAGES = new Set(['api', 'public', 'operators', 'health', 'metrics', 'pay', '_next'])
/** How often an address is decoded on its way, at most: by a proxy, by Next, by the browser. */
const READINGS = 3

/**
 * Returns the page to open after signing in, from an untrusted `next` parameter: the address of a page of this site, or `/` for anything
 * else. A path is refused if any reading of it, as written or decoded up to three times, could name another site: Next's client and
 * browsers resolve dot segments and backslashes, and `/.//host` then becomes `//host`.
 */
export function safeNext(next: unknown): string {
  return typeof next === 'string' && isPage(next) ? next : '/'
}

function isPage(address: string): boolean {
  if (address.length > LENGTH_MAX || !WRITTEN.test(address)) return false
  const question = address.indexOf('?')
  let path = question < 0 ? address : address.slice(0, question)
  let query = question < 0 ? '' : address.slice(question)
  for (let reading = 0; reading <= READINGS; reading++) {
    if (LEADS_ELSEWHERE.test(path) || CONTROL.test(path) || CONTROL.test(query)) return false
    if (NOT_PAGES.has(path.split('/', 2)[1] ?? '')) return false
    const decoded = [decode(path), decode(query)]
    if (decoded[0] === undefined || (reading === 0 && decoded[1] === undefined)) return false
    path = decoded[0]
    query = decoded[1] ?? query
  }
  return true
}

/** Undefined if an escape is invalid or its bytes are not UTF-8. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    // A broken escape: not an address of ours.
    return undefined
  }
}

/** An invitation, as its page shows it. `isKnown`: somebody signs in with this e-mail address already. */
export type Invitation = { applicationName: string; email: string; name: string; isKnown: boolean; requiresSecondFactor: boolean }

export type InvitationRefusal =
  | 'unknown'
  | 'expired'
  | 'used'
  | 'throttled'
  | 'invalid'
  | 'invalid_name'
  | 'password_too_short'
  | 'password_too_common'
  | 'has_account'

/** A QR code ready to be drawn: `size` modules a side, `path` an SVG path of the dark ones, one unit each. */
export type QrCode = { size: number; path: string }

const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\/|\bOpera/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\b(?:Headless)?Chrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const SYSTEMS: readonly [RegExp, string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

/** The browser and the system as they name themselves, for people to recognise; null where the text names none that is known. */
export function readUserAgent(text: string): { browser: string | null; system: string | null } {
  const find = (list: readonly [RegExp, string][]) => list.find(([pattern]) => pattern.test(text))?.[1] ?? null
  return { browser: find(BROWSERS), system: find(SYSTEMS) }
}

/** A first name for this browser or its passkey; empty where its text names nothing that is known. */
export function deviceWords(userAgent: string): string {
  const { browser, system } = readUserAgent(userAgent)
  return [browser, system].filter(Boolean).join(' · ')
}

/** Why a sign-in with the identity provider did not succeed; the page says it. */
export const SIGN_ON_REFUSALS = ['unknown', 'unverified', 'blocked', 'failed'] as const
export type SignOnRefusal = (typeof SIGN_ON_REFUSALS)[number]
