'use server'

import { z } from 'zod'
import { parseAmountMinor } from '#lib/money/money.ts'
import type { ActionResult } from '#lib/result.ts'
import { operatorSchema } from '#lib/schemas/page-address.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { setBalanceThreshold } from '#server/ledger/set-balance-threshold.ts'

const thresholdSchema = z.object({
  operator: operatorSchema,
  threshold: z
    .string()
    .max(20)
    .transform((text, context) => {
      const amountMinor = parseAmountMinor(text)
      if (amountMinor !== undefined) return amountMinor
      context.addIssue({ code: 'custom', message: 'balances.thresholdWrong' })
      return z.NEVER
    })
    .nullable(),
})

/** Sets the low-balance alert of an operator; null removes it. */
export async function setThreshold(
  application: string,
  input: { operator: string; threshold: string | null },
): Promise<ActionResult<null, 'not_permitted'>> {
  return runAction({ schema: thresholdSchema, permission: 'balance:set-threshold', application, input }, (actor, { operator, threshold }) =>
    setBalanceThreshold(backOfficeRuntime().pool, { applicationId: actor.applicationId, operator, thresholdMinor: threshold, actor }),
  )
}
