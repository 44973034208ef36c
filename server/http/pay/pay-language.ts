import { isLocale, type Locale, localeFromHeader } from '#lib/i18n/locale.ts'
import type { ApiRequest } from '#server/http/request/api-request.ts'

export const PAY_PATH = '/pay'
/** The language that a customer chose: the operator leads back to an address without it. */
const LANGUAGE_COOKIE = 'pay_lang'
const DAY_SECONDS = 86_400

/** The language of the address, else the one that the customer chose before, else that of Accept-Language. */
export function localeOf(request: ApiRequest): Locale {
  const [, kept] = new RegExp(`(?:^|;\\s*)${LANGUAGE_COOKIE}=(\\w+)`).exec(request.header('cookie') ?? '') ?? []
  const wanted = chosenLanguage(request) ?? kept ?? null
  return isLocale(wanted) ? wanted : localeFromHeader(request.header('accept-language') ?? null)
}

function chosenLanguage(request: ApiRequest): Locale | undefined {
  const wanted = new URLSearchParams(request.search).get('lang')
  return isLocale(wanted) ? wanted : undefined
}

/** The headers that keep a language that was just chosen, and the encryption of the connection. */
export function visitHeaders(request: ApiRequest): Record<string, string> {
  const isSecure = request.header('x-forwarded-proto') === 'https'
  const chosen = chosenLanguage(request)
  return {
    ...(isSecure && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }),
    ...(chosen && {
      'set-cookie': `${LANGUAGE_COOKIE}=${chosen}; Path=${PAY_PATH}; Max-Age=${DAY_SECONDS}; SameSite=Lax; HttpOnly${isSecure ? '; Secure' : ''}`,
    }),
  }
}
