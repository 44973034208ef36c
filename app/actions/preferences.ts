'use server'

import { refresh } from 'next/cache'
import { formField } from '#lib/form-field.ts'
import { isLocale } from '#lib/i18n/locale.ts'
import { isTheme, THEME_COOKIE } from '#lib/viewer.ts'
import { chooseLanguage } from '#server/back-office/choose-language.ts'
import { rememberChoice } from '#server/back-office/preferences.ts'

/** Stores the theme in a cookie of this browser. */
export async function setTheme(form: FormData): Promise<void> {
  const theme = formField(form, 'theme')
  if (isTheme(theme)) await rememberChoice(THEME_COOKIE, theme)
  refresh()
}

/** Stores the language for the signed-in person, and in a cookie for the sign-in page. */
export async function setLanguage(form: FormData): Promise<void> {
  const locale = formField(form, 'locale')
  if (isLocale(locale)) await chooseLanguage(locale)
  refresh()
}
