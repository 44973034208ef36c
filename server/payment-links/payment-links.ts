import { randomBytes } from 'node:crypto'
import { formatMinor } from '#lib/money/money.ts'
import { err, type Result } from '#lib/result.ts'
import type { NewPaymentLink } from '#lib/schemas/payment-link.ts'
import type { Clock } from '#lib/time/time.ts'
import { type ApplicationSnapshot, serviceFor } from '#server/applications/snapshot.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import type { Pool } from '#server/database/pool.ts'
import type { Connected } from '#server/transactions/find-start-problems.ts'
import { closeLink, insertLink, mayHaveLinks } from './payment-link-store.ts'

type CreateLink = { application: ApplicationSnapshot; actor: PersonCommandActor; link: NewPaymentLink }
export type CreateLinkFailure = 'not_permitted' | 'not_allowed' | 'service_disabled' | 'last_day_passed'

/** 128 bits that nobody can guess, short enough for a small QR code. */
const TOKEN_BYTES = 16

/**
 * Creates a payment link. One person is enough: it only lets customers pay, each with a confirmation of their own. The same link sent again is
 * created once.
 */
export async function createPaymentLink(
  { pool, connectors, clock }: { pool: Pool; connectors: Connected; clock: Clock },
  { application, actor, link }: CreateLink,
): Promise<Result<{ linkId: string }, CreateLinkFailure>> {
  const { applicationId } = application
  return runCommand<{ linkId: string }, CreateLinkFailure>(pool, { applicationId, actor }, 'link:create', async (trx) => {
    if (!application.isEnabled || !(await mayHaveLinks(trx, applicationId))) return err('not_allowed')
    const isOn = link.operators.every((code) => serviceFor(application, code, 'COLLECT').isEnabled && connectors.has(code, 'COLLECT'))
    if (!isOn) return err('service_disabled')
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    const stored = await insertLink(trx, { ...link, applicationId, token, createdBy: actor.id }, clock.now())
    if (!stored) return err('last_day_passed')
    return done(stored === 'existing' ? null : { action: 'payment_link.created', subject: link.linkId, details: detailsOf(link) }, {
      linkId: link.linkId,
    })
  })
}

/** Everything but the token, which lets its holder pay. */
function detailsOf({ purpose, country, operators, amount, minimum, maximum, paymentsMax, lastDay }: NewPaymentLink) {
  const decimal = (amountMinor: bigint | null) => (amountMinor === null ? null : formatMinor(amountMinor))
  return {
    purpose,
    country,
    operators,
    ...(amount === null ? { minimum: decimal(minimum), maximum: decimal(maximum) } : { amount: decimal(amount) }),
    ...(paymentsMax !== null && { paymentsMax }),
    ...(lastDay !== null && { lastDay }),
  }
}

type CloseLink = { applicationId: string; linkId: string; actor: PersonCommandActor }
export type CloseLinkFailure = 'not_permitted' | 'not_found'

/** Closes a link for good: it accepts no payment from now on. What is open ends as it would have. */
export async function closePaymentLink(pool: Pool, command: CloseLink): Promise<Result<void, CloseLinkFailure>> {
  return runCommand<void, CloseLinkFailure>(pool, command, 'link:close', async (trx) => {
    const closed = await closeLink(trx, command, command.actor.id)
    if (closed === 'not_found') return err('not_found')
    return done(closed === 'was_closed' ? null : { action: 'payment_link.closed', subject: command.linkId })
  })
}
