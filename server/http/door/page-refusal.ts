import { type Locale, localeFromHeader } from '#lib/i18n/locale.ts'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { createTranslate, type MessageKey, type Translate } from '#lib/i18n/translate.ts'
import type { ApiResponse } from '#server/http/api/api-response.ts'
import type { Refusal } from '#server/http/api/errors.ts'

const TRANSLATES: Readonly<Record<Locale, Translate>> = {
  en: createTranslate('en', MESSAGES.en),
  fr: createTranslate('fr', MESSAGES.fr),
}

const KEYS: Readonly<Record<number, MessageKey>> = {
  405: 'request.method',
  408: 'request.tooSlow',
  413: 'request.tooLarge',
  503: 'request.busy',
}

/**
 * A refusal in the words of the pages and in the reader's language, as plain text: the request never reached the pages. A server action
 * shows such a text where it would show its own message.
 */
export function pageRefusal({ status, headers }: Refusal, acceptLanguage: string | undefined): ApiResponse {
  const translate = TRANSLATES[localeFromHeader(acceptLanguage ?? null)]
  return {
    status,
    body: `${translate(KEYS[status] ?? 'request.malformed')}\n`,
    contentType: 'text/plain; charset=utf-8',
    headers: { 'x-content-type-options': 'nosniff', ...headers },
  }
}
