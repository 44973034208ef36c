import { cookies, headers } from 'next/headers'
import { cache } from 'react'
import { isLocale, LANGUAGE_COOKIE, type Locale, localeFromHeader } from '#lib/i18n/locale.ts'
import { createTranslate, type Translate } from '#lib/i18n/translate.ts'
import { type ColumnSettings, columnCookieName, readColumnSettings } from '#lib/pages/table-state.ts'
import { isTheme, THEME_COOKIE, type Theme } from '#lib/people/viewer.ts'
import { MESSAGES } from '#server/messages.ts'
import { changeOwnPreferences } from '#server/people/accounts.ts'
import { backOfficeRuntime } from './back-office-runtime.ts'
import { currentPerson } from './current-person.ts'

const YEAR_S = 365 * 24 * 60 * 60

/** The theme this browser chose; `system` until it did. */
export async function readTheme(): Promise<Theme> {
  const value = (await cookies()).get(THEME_COOKIE)?.value
  return isTheme(value) ? value : 'system'
}

/** The language of this request: the person's, else this browser's choice on an earlier page, else the one of Accept-Language. */
export const readLocale = cache(async (): Promise<Locale> => {
  const person = await currentPerson()
  if (person?.locale) return person.locale
  const chosen = (await cookies()).get(LANGUAGE_COOKIE)?.value
  return isLocale(chosen) ? chosen : localeFromHeader((await headers()).get('accept-language'))
})

/** The texts of this request, for server components and actions. */
export const getT = cache(async (): Promise<Translate> => {
  const locale = await readLocale()
  return createTranslate(locale, MESSAGES[locale])
})

/** Remembers a theme in this browser for a year. For server actions: a page may not set cookies. */
export async function rememberChoice(name: typeof THEME_COOKIE | typeof LANGUAGE_COOKIE, value: string): Promise<void> {
  ;(await cookies()).set(name, value, { path: '/', maxAge: YEAR_S, sameSite: 'lax', httpOnly: true })
}

/** The columns this browser chose for a table, for the first render; undefined when it never did. */
export async function readColumnChoice(table: string): Promise<ColumnSettings | undefined> {
  return readColumnSettings((await cookies()).get(columnCookieName(table))?.value)
}

/** Stores the language for the signed-in person, and in this browser for the pages before sign-in. For server actions only. */
export async function chooseLanguage(locale: Locale): Promise<void> {
  const person = await currentPerson()
  if (person) await changeOwnPreferences(backOfficeRuntime().pool, { personId: person.personId, locale })
  await rememberChoice(LANGUAGE_COOKIE, locale)
}
