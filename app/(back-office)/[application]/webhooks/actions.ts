'use server'

import { z } from 'zod'
import { type ActionResult, err, ok } from '#lib/result.ts'
import { recoverySchema, recoveryStartSchema, webhookTestSchema } from '#lib/schemas/page-address.ts'
import type { BackOfficeActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { readLocalTime } from '#server/webhooks/history-store.ts'
import { countRecovery as count, recoverWebhooks, stopRecovery as stop } from '#server/webhooks/recover-webhooks.ts'
import { sendTestWebhook as sendTest } from '#server/webhooks/resend-webhook.ts'

/** Clock times of a form are in the zone in which the person reads times. */
function sinceOf(actor: BackOfficeActor, since: string): Promise<Date> {
  return readLocalTime(backOfficeRuntime().pool, since, actor.timeZone ?? actor.businessZone)
}

/** How many webhooks a recovery would send again. */
export async function countRecovery(
  application: string,
  input: { since: string; includesDelivered: boolean },
): Promise<ActionResult<{ count: number }>> {
  return runAction(
    { schema: recoverySchema, permission: 'webhook:recover', application, input },
    async (actor, { since, includesDelivered }) => {
      const { pool, clock } = backOfficeRuntime()
      const { applicationId } = actor
      return ok({ count: await count(pool, { applicationId, since: await sinceOf(actor, since), includesDelivered, now: clock.now() }) })
    },
  )
}

/** Sends webhooks again, a few at a time. `counted` is the number that the person agreed to. */
export async function startRecovery(
  application: string,
  input: { since: string; includesDelivered: boolean; counted: number },
): Promise<ActionResult<null, 'not_permitted' | 'nothing_to_recover' | 'recovery_running' | 'count_changed'>> {
  return runAction({ schema: recoveryStartSchema, permission: 'webhook:recover', application, input }, async (actor, values) => {
    const { pool, clock, wake } = backOfficeRuntime()
    const command = { ...values, applicationId: actor.applicationId, since: await sinceOf(actor, values.since), now: clock.now(), actor }
    const result = await recoverWebhooks({ pool, wakeWebhooks: wake.webhooks }, command)
    if (result.ok) return ok(null)
    return err(typeof result.error === 'string' ? result.error : result.error.code)
  })
}

/** Ends a recovery before it is through. */
export async function stopRecovery(application: string, input: { recoveryId: string }): Promise<ActionResult<null, 'not_permitted'>> {
  const schema = z.object({ recoveryId: z.uuid() })
  return runAction({ schema, permission: 'webhook:recover', application, input }, async (actor, { recoveryId }) => {
    const result = await stop(backOfficeRuntime().pool, { applicationId: actor.applicationId, recoveryId, actor })
    if (result.ok) return ok(null)
    return result.error === 'not_permitted' ? err('not_permitted') : err({ code: 'not_found' })
  })
}

/** Sends a test event and waits for its answer. */
export async function sendTestWebhook(
  application: string,
  input: { url: string; status?: 'SUCCESS' | 'FAILED' },
): Promise<ActionResult<null, 'not_permitted' | 'throttled'>> {
  return runAction<typeof webhookTestSchema, null, 'not_permitted' | 'throttled'>(
    { schema: webhookTestSchema, permission: 'webhook:recover', application, input },
    async (actor, { url, status }) => {
      const { pool, clock, testSenders, directory } = backOfficeRuntime()
      const { applicationId } = actor
      const snapshot = directory.find(applicationId)
      const [secrets, copiesStatus] = [snapshot?.webhookSecrets ?? [], snapshot?.copiesWebhookStatus ?? false]
      const sender = testSenders.to(snapshot?.webhookNetworks ?? [])
      const result = await sendTest({ pool, clock, sender }, { applicationId, url, status, actor, secrets, copiesStatus })
      if (result.ok) return ok(null)
      if (result.error === 'invalid_url') return err({ code: 'invalid' })
      return err(result.error)
    },
  )
}
