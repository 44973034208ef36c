import { LANGUAGE_COOKIE, type Locale } from '#lib/i18n/locale.ts'
import { changeOwnPreferences } from '#server/people/change-own-preferences.ts'
import { backOfficeRuntime } from './back-office-runtime.ts'
import { currentPerson } from './current-person.ts'
import { rememberChoice } from './preferences.ts'

/** Stores the language for the signed-in person, and in this browser for the pages before sign-in. For server actions only. */
export async function chooseLanguage(locale: Locale): Promise<void> {
  const person = await currentPerson()
  if (person) await changeOwnPreferences(backOfficeRuntime().pool, { personId: person.personId, locale })
  await rememberChoice(LANGUAGE_COOKIE, locale)
}
