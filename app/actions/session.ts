'use server'

import { refresh } from 'next/cache'
import { redirect } from 'next/navigation'
import { paths } from '#lib/paths.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { currentPerson } from '#server/back-office/current-person.ts'
import { endAllSessions, signOutHere } from '#server/back-office/sign-out.ts'
import { dismissGuessedCodes } from '#server/people/verify-second-factor.ts'

/** Ends the session of this browser. */
export async function signOut(): Promise<void> {
  await signOutHere()
  redirect(`${paths.signIn()}?ended=1`)
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
