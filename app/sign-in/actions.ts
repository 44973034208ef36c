'use server'

import { redirect } from 'next/navigation'
import { paths } from '#lib/pages/paths.ts'
import type { AssertionAnswer } from '#lib/people/passkeys.ts'
import { type Invitation, type InvitationRefusal, safeNext } from '#lib/people/sign-in.ts'
import type { Result } from '#lib/result.ts'
import { formField } from '#lib/text/clean-text.ts'
import { currentPerson } from '#server/back-office/current-person.ts'
import { beginPasskeySignIn, signInWithPasskey } from '#server/back-office/session/passkeys.ts'
import {
  answerInvitationOfPerson,
  choosePasswordWithLink,
  finishEnrolment,
  joinWithInvitation,
  readInvitation,
  readPasswordLink,
  signInWithCode,
  signInWithPassword,
} from '#server/back-office/session/sign-in.ts'

/** The state of the form after a refusal. The e-mail is returned so that it is not typed again; the password is not. */
type SignInState = { problem: 'wrong' | 'blocked' | 'throttled'; minutes: number; email: string } | null

/** Step one: e-mail and password. */
export async function signInAction(_: SignInState, form: FormData): Promise<SignInState> {
  const next = safeNext(formField(form, 'next'))
  const outcome = await signInWithPassword({ email: formField(form, 'email'), password: formField(form, 'password') })
  switch (outcome.kind) {
    case 'signed_in':
      return redirect(next)
    case 'code_needed':
      return redirect(paths.secondFactor(next === '/' ? undefined : next))
    case 'wrong':
    case 'blocked':
    case 'throttled':
      return {
        problem: outcome.kind,
        minutes: outcome.kind === 'throttled' ? outcome.minutes : 0,
        email: (formField(form, 'email') ?? '').slice(0, 320),
      }
  }
}

/** Begins a sign-in with a passkey: returns what the browser asks the device. */
export async function startPasskeyAction() {
  return beginPasskeySignIn()
}

type PasskeyRefusal = { refusal: 'refused' | 'blocked' | 'throttled' }

/** Signs in with the answer of the device. */
export async function passkeyAction(answer: AssertionAnswer, next: string): Promise<PasskeyRefusal> {
  const signedIn = await signInWithPasskey(answer)
  if (!signedIn.ok) return { refusal: signedIn.error }
  redirect(safeNext(next))
}

type CodeState = { problem: 'wrong' | 'throttled'; minutes: number } | null

/** Step two, for people with a second factor: a one-time code, or a recovery code. */
export async function codeAction(_: CodeState, form: FormData): Promise<CodeState> {
  const checked = await signInWithCode(formField(form, 'code'))
  if (checked.ok) return redirect(safeNext(formField(form, 'next')))
  if (checked.error.kind === 'too_many') return redirect(`${paths.signIn()}?guessed=1`)
  if (checked.error.kind === 'expired') return redirect(paths.signIn())
  return { problem: checked.error.kind, minutes: checked.error.kind === 'throttled' ? checked.error.minutes : 0 }
}

type EnrolState = { kind: 'wrong_code' | 'wrong_password' | 'throttled' } | { kind: 'done'; recoveryCodes: readonly string[] } | null

/** Turns the second factor on with the password and the first code. */
export async function enrolAction(_: EnrolState, form: FormData): Promise<EnrolState> {
  const person = await currentPerson()
  if (!person) return redirect(paths.signIn())
  const finished = await finishEnrolment(person.personId, { password: formField(form, 'password'), code: formField(form, 'code') })
  if (finished.ok) return { kind: 'done', recoveryCodes: finished.value.recoveryCodes }
  switch (finished.error) {
    case 'wrong_code':
    case 'wrong_password':
    case 'throttled':
      return { kind: finished.error }
    default:
      return redirect(safeNext(formField(form, 'next')))
  }
}

/** Says what the link of an invitation is for. The token arrives in the body: it is never a part of an address that a server sees. */
export async function openInvitation(input: { token: string }): Promise<Result<Invitation, InvitationRefusal>> {
  return readInvitation(input)
}

type Acceptance = { token: string; name: string; password: string; wantsSecondFactor: boolean }

/** Joins the application as a new person, with the password that they chose. Their code is on the next page. */
export async function joinApplication(input: Acceptance): Promise<{ refusal: InvitationRefusal }> {
  const joined = await joinWithInvitation(input)
  if (!joined.ok) return { refusal: joined.error }
  redirect(joined.value.setsUpSecondFactor ? paths.enrol(paths.invitations()) : paths.invitations())
}

/** Says whose new password a link is for. */
export async function openPasswordLink(input: { token: string }): Promise<Result<{ email: string }, InvitationRefusal>> {
  return readPasswordLink(input)
}

/** Sets the password that the person chose. They sign in with it on the page that follows. */
export async function chooseNewPassword(input: { token: string; password: string }): Promise<{ refusal: InvitationRefusal }> {
  const chosen = await choosePasswordWithLink(input)
  if (!chosen.ok) return { refusal: chosen.error }
  redirect(paths.signIn())
}

/** Accepts or declines an invitation. The page says what comes next; one that was withdrawn meanwhile is no longer on it. */
export async function answerInvitation(form: FormData): Promise<void> {
  const answered = await answerInvitationOfPerson({
    invitationId: formField(form, 'invitationId'),
    accepts: formField(form, 'answer') === 'accept',
  })
  if (!answered.ok && answered.error === 'unauthenticated') return redirect(paths.signIn(paths.invitations()))
  redirect(paths.invitations())
}
