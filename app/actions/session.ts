'use server'

import { redirect } from 'next/navigation'
import { paths } from '#lib/paths.ts'
import { endAllSessions, signOutHere } from '#server/back-office/sign-out.ts'

/** Ends the session of this browser. */
export async function signOut(): Promise<void> {
  await signOutHere()
  redirect(`${paths.signIn()}?ended=1`)
}

/** Ends every session of this person, on every device, this one included. */
export async function signOutEverywhere(): Promise<void> {
  await endAllSessions()
  redirect(`${paths.signIn()}?ended=1`)
}
