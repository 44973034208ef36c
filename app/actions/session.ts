'use server'

import { refresh } from 'next/cache'
import { redirect } from 'next/navigation'
import { isLocale } from '#lib/i18n/locale.ts'
import { paths } from '#lib/pages/paths.ts'
import type { PasskeyRequest } from '#lib/people/passkeys.ts'
import { isTheme, THEME_COOKIE } from '#lib/people/viewer.ts'
import type { Result } from '#lib/result.ts'
import { formField } from '#lib/text/clean-text.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { currentPerson } from '#server/back-office/current-person.ts'
import { chooseLanguage, rememberChoice } from '#server/back-office/preferences.ts'
import { beginPasskeyProof, type ProofStartFailure } from '#server/back-office/session/passkeys.ts'
import { endAllSessions, signOutHere } from '#server/back-office/session/sign-in.ts'
import { dismissGuessedCodes } from '#server/people/sign-in/second-factor.ts'

/** Ends the session of this browser. */
export async function signOut(): Promise<void> {
  await signOutHere()
  redirect(`${paths.signIn()}?ended=1`)
}

/** Starts to confirm something with a passkey of the person who is signed in: returns what the browser asks the device. */
export async function startProof(): Promise<Result<PasskeyRequest, ProofStartFailure>> {
  return beginPasskeyProof()
}

/** The person has read that somebody guessed their one-time codes. */
export async function dismissCodeWarning(): Promise<void> {
  const person = await currentPerson()
  if (person) await dismissGuessedCodes(backOfficeRuntime().pool, person)
  refresh()
}

/** Ends every session of this person, on every device, this one included. */
export async function signOutEverywhere(): Promise<void> {
  await endAllSessions()
  redirect(`${paths.signIn()}?ended=1`)
}

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
