'use server'

import type { z } from 'zod'
import { type ActionResult, err, ok } from '#lib/result.ts'
import { newPaymentLinkSchema, paymentLinkIdSchema } from '#lib/schemas/payment-link.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { type CloseLinkFailure, type CreateLinkFailure, closePaymentLink, createPaymentLink } from '#server/payment-links/payment-links.ts'

/** Creates a payment link. */
export async function createLink(
  application: string,
  input: z.input<typeof newPaymentLinkSchema>,
): Promise<ActionResult<{ linkId: string }, CreateLinkFailure>> {
  return runAction<typeof newPaymentLinkSchema, { linkId: string }, CreateLinkFailure>(
    { schema: newPaymentLinkSchema, permission: 'link:create', application, input },
    async (actor, link) => {
      const { pool, connectors, clock, directory } = backOfficeRuntime()
      const snapshot = directory.find(actor.applicationId)
      return snapshot ? createPaymentLink({ pool, connectors, clock }, { application: snapshot, actor, link }) : err('not_allowed')
    },
  )
}

/** Closes a payment link. */
export async function closeLink(application: string, input: { linkId: string }): Promise<ActionResult<null, CloseLinkFailure>> {
  return runAction<typeof paymentLinkIdSchema, null, CloseLinkFailure>(
    { schema: paymentLinkIdSchema, permission: 'link:close', application, input },
    async (actor, { linkId }) => {
      const closed = await closePaymentLink(backOfficeRuntime().pool, { applicationId: actor.applicationId, linkId, actor })
      return closed.ok ? ok(null) : closed
    },
  )
}
