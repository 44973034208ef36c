'use server'

import { headers } from 'next/headers'
import { z } from 'zod'
import { LANGUAGE_COOKIE, LOCALES } from '#lib/i18n/locale.ts'
import { createTranslate } from '#lib/i18n/translate.ts'
import type { PushSubscriptionKeys } from '#lib/people/browsers.ts'
import type { AttestationAnswer, PasskeyCreation } from '#lib/people/passkeys.ts'
import { deviceWords } from '#lib/people/sign-in.ts'
import { type ActionResult, err, ok } from '#lib/result.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { readLocale, rememberChoice } from '#server/back-office/preferences.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { passkeyDeps } from '#server/back-office/session/passkeys.ts'
import { beganWithPasskey, continueSession } from '#server/back-office/session/session.ts'
import { beginEnrolment, type Enrolment, finishEnrolment, peerAddress } from '#server/back-office/session/sign-in.ts'
import { MESSAGES } from '#server/messages.ts'
import {
  type AddFailure,
  addBrowser,
  pushKeys,
  removeBrowser,
  subscriptionSchema,
  type TestFailure,
  testBrowser,
} from '#server/notices/browsers/browsers.ts'
import { pushTransport } from '#server/notices/browsers/push-transport.ts'
import { testNotification } from '#server/notices/browsers/write-notification.ts'
import { changeNoticeSettings, noticeSettingsSchema } from '#server/notices/notice-preferences.ts'
import { changeOwnPreferences } from '#server/people/accounts.ts'
import { attestationSchema } from '#server/people/passkeys/passkey-answer.ts'
import {
  type RegistrationFailure,
  registerPasskey,
  type StartRegistrationFailure,
  startPasskeyRegistration,
} from '#server/people/passkeys/register-passkey.ts'
import { type RemoveFailure, removePasskey } from '#server/people/passkeys/remove-passkey.ts'
import { changeOwnPassword } from '#server/people/sign-in/passwords.ts'
import { type ConfirmFailure, disableOwnSecondFactor, renewRecoveryCodes } from '#server/people/sign-in/second-factor.ts'

const PERMISSION = 'own-settings:change'

const look = z.object({ locale: z.enum(LOCALES), timeZone: z.string().min(1).max(64) })

/** Stores the person's language and time zone; the confirmation is in the new language. */
export async function changeLook(
  application: string,
  input: { locale: string; timeZone: string },
): Promise<ActionResult<{ said: string }, 'unknown_time_zone' | 'unknown_person'>> {
  return runAction({ schema: look, permission: PERMISSION, application, input }, async (actor, { locale, timeZone }) => {
    const changed = await changeOwnPreferences(backOfficeRuntime().pool, { personId: actor.id, locale, timeZone })
    if (!changed.ok) return changed
    await rememberChoice(LANGUAGE_COOKIE, locale)
    return ok({ said: createTranslate(locale, MESSAGES[locale])('settings.lookSaved') })
  })
}

/** Stores how and when the person is told of each cause. */
export async function changeNotices(
  application: string,
  input: { causes: Readonly<Record<string, unknown>>; inBrowser: readonly string[]; times: Readonly<Record<string, number | null>> },
): Promise<ActionResult<null, never>> {
  return runAction({ schema: noticeSettingsSchema, permission: PERMISSION, application, input }, async (actor, settings) => {
    await changeNoticeSettings(backOfficeRuntime().pool, actor.id, settings)
    return ok(null)
  })
}

/** Has the person told in this browser too. */
export async function turnOnBrowser(application: string, input: PushSubscriptionKeys): Promise<ActionResult<void, AddFailure>> {
  return runAction({ schema: subscriptionSchema, permission: PERMISSION, application, input }, async (actor, subscription) => {
    const { pool, clock, config } = backOfficeRuntime()
    const name = deviceWords((await headers()).get('user-agent') ?? '')
    return addBrowser({ pool, clock }, { personId: actor.id, name, subscription, allowsPrivateTargets: config.isSandbox })
  })
}

const oneBrowser = z.object({ browserId: z.uuid() })

/** The person is no longer told in one of their browsers. */
export async function turnOffBrowser(application: string, input: { browserId: string }): Promise<ActionResult<void, 'not_found'>> {
  return runAction({ schema: oneBrowser, permission: PERMISSION, application, input }, (actor, { browserId }) =>
    removeBrowser(backOfficeRuntime().pool, { personId: actor.id, browserId }),
  )
}

/** Sends a notification to one of the person's browsers. */
export async function sendTest(application: string, input: { browserId: string }): Promise<ActionResult<void, TestFailure>> {
  return runAction({ schema: oneBrowser, permission: PERMISSION, application, input }, async (actor, { browserId }) => {
    const { pool, clock, config, testSenders } = backOfficeRuntime()
    const push = pushTransport({ senders: testSenders, keys: () => pushKeys(pool), publicUrl: config.publicUrl })
    const notification = testNotification(await readLocale(), application)
    return testBrowser({ pool, clock, push }, { personId: actor.id, browserId, notification })
  })
}

const passwords = z.object({ currentPassword: z.string().min(1).max(1_024), newPassword: z.string().min(1).max(1_024) })

/** Sets a new password. Ends all other sessions and renews this one. */
export async function changePassword(
  application: string,
  input: { currentPassword: string; newPassword: string },
): Promise<ActionResult<null, 'wrong_credentials' | 'throttled' | 'password_too_short' | 'password_too_common' | 'unknown_person'>> {
  return runAction({ schema: passwords, permission: PERMISSION, application, input }, async (actor, chosen) => {
    const changed = await changeOwnPassword(backOfficeRuntime(), { personId: actor.id, ...chosen, peerAddress: peerAddress() })
    if (!changed.ok) return err(changed.error.kind)
    await continueSession(changed.value.sessionEpoch)
    return ok(null)
  })
}

const enrolment = z.object({ kind: z.literal('totp') })

/** Creates a key and its QR code. The second factor is off until `confirmEnrolment` accepts a code. */
export async function startEnrolment(
  application: string,
  input: { kind: 'totp' },
): Promise<ActionResult<Enrolment, 'unknown_person' | 'already_enabled'>> {
  return runAction({ schema: enrolment, permission: PERMISSION, application, input }, (actor) => beginEnrolment(actor.id))
}

const oneCode = z.object({ code: z.string().trim().min(1).max(64) })
const passwordAndCode = oneCode.extend({ password: z.string().min(1).max(1_024) })

/** Turns the second factor on and returns the recovery codes once. Ends all other sessions and renews this one. */
export async function confirmEnrolment(
  application: string,
  input: { password: string; code: string },
): Promise<ActionResult<{ recoveryCodes: string[] }, ConfirmFailure>> {
  return runAction({ schema: passwordAndCode, permission: PERMISSION, application, input }, (actor, given) =>
    finishEnrolment(actor.id, given),
  )
}

/** Replaces the recovery codes by ten new ones. Requires a code. */
export async function renewCodes(
  application: string,
  input: { code: string },
): Promise<ActionResult<{ recoveryCodes: string[] }, 'wrong_code' | 'too_many' | 'not_enabled' | 'throttled'>> {
  return runAction({ schema: oneCode, permission: PERMISSION, application, input }, async (actor, { code }) => {
    const renewed = await renewRecoveryCodes(backOfficeRuntime(), { personId: actor.id, code })
    return renewed.ok ? renewed : err(renewed.error.kind)
  })
}

/** Turns the second factor off. Ends all other sessions and renews this one. */
export async function switchOff(
  application: string,
  input: { code: string },
): Promise<ActionResult<null, 'wrong_code' | 'too_many' | 'not_enabled' | 'throttled' | 'demanded' | 'unknown_person'>> {
  return runAction({ schema: oneCode, permission: PERMISSION, application, input }, async (actor, { code }) => {
    const disabled = await disableOwnSecondFactor(backOfficeRuntime(), { personId: actor.id, code })
    if (!disabled.ok) return err(disabled.error.kind)
    await continueSession(disabled.value.sessionEpoch)
    return ok(null)
  })
}

const proof = z.object({ password: z.string().min(1).max(1_024), code: z.string().trim().max(64) })

/** Begins a new passkey, for the password and, where the second factor is on, a code: returns what the browser asks the device. */
export async function startPasskey(
  application: string,
  input: { password: string; code: string },
): Promise<ActionResult<PasskeyCreation, StartRegistrationFailure>> {
  return runAction({ schema: proof, permission: PERMISSION, application, input }, async (actor, { password, code }) =>
    startPasskeyRegistration(passkeyDeps(), {
      personId: actor.id,
      password,
      code: code || undefined,
      peerAddress: peerAddress(),
      usedPasskey: await beganWithPasskey(),
    }),
  )
}

const newPasskey = z.object({ name: z.string().max(200), attestation: attestationSchema })

/** Stores the passkey that the device made. */
export async function addPasskey(
  application: string,
  input: { name: string; attestation: AttestationAnswer },
): Promise<ActionResult<void, RegistrationFailure>> {
  return runAction({ schema: newPasskey, permission: PERMISSION, application, input }, (actor, { name, attestation }) =>
    registerPasskey(passkeyDeps(), { personId: actor.id, name, attestation }),
  )
}

const oldPasskey = z.object({ credentialId: z.string().min(1).max(1_400), password: z.string().min(1).max(1_024) })

/** Removes a passkey, with the password. Ends all other sessions and renews this one. */
export async function deletePasskey(
  application: string,
  input: { credentialId: string; password: string },
): Promise<ActionResult<null, RemoveFailure>> {
  return runAction({ schema: oldPasskey, permission: PERMISSION, application, input }, async (actor, given) => {
    const usedPasskey = await beganWithPasskey()
    const removed = await removePasskey(passkeyDeps(), { personId: actor.id, ...given, peerAddress: peerAddress(), usedPasskey })
    if (!removed.ok) return removed
    await continueSession(removed.value.sessionEpoch)
    return ok(null)
  })
}
