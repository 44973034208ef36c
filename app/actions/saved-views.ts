'use server'

import { z } from 'zod'
import { withoutRepeat } from '#lib/finance/pivot.ts'
import { pivotAddress } from '#lib/finance/pivot-address.ts'
import { type QueryValues, toQuery } from '#lib/pages/paths.ts'
import { toAddressValues, toTransactionQuery } from '#lib/payments/transactions/transaction-list.ts'
import { VIEW_LISTS, type ViewList } from '#lib/people/saved-views.ts'
import type { ActionResult } from '#lib/result.ts'
import { transactionFilterSchema } from '#lib/schemas/list-filter.ts'
import { pivotQuerySchema } from '#lib/schemas/page-address.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { changeView as changeSavedView, saveView as keepView, deleteView as removeSavedView } from '#server/people/saved-views.ts'

/** The values of an address that each list knows; null if it names a day that does not exist. */
const READERS: Readonly<Record<ViewList, (values: Record<string, string>) => QueryValues | null>> = {
  transactions(values) {
    const filter = readAddress(transactionFilterSchema, values)
    return filter.ok ? toAddressValues({ ...toTransactionQuery(filter.value), page: 0 }) : null
  },
  totals(values) {
    const filter = readAddress(pivotQuerySchema, values)
    return filter.ok ? pivotAddress(withoutRepeat(filter.value)) : null
  },
}

/** A view stores only the parameters that its list knows. */
const viewName = z.string().trim().min(1).max(80)
const use = { isShared: z.boolean(), isSentMonthly: z.boolean() }
const view = z
  .object({ list: z.enum(VIEW_LISTS), name: viewName, ...use, query: z.string().max(2_000) })
  .transform(({ query, ...rest }, context) => {
    const values = READERS[rest.list](Object.fromEntries(new URLSearchParams(query)))
    if (values) return { ...rest, query: toQuery(values).replace(/^\?/, '') }
    context.addIssue({ code: 'custom', message: 'action.invalid' })
    return z.NEVER
  })

/**
 * Saves the address of a list as a view of this person in this application, for themselves or for everybody in it. Totals can be sent to this person each
 * month.
 */
export async function saveView(
  application: string,
  input: { list: ViewList; name: string; query: string; isShared: boolean; isSentMonthly: boolean },
): Promise<ActionResult<{ name: string }, 'too_many' | 'only_totals'>> {
  return runAction({ schema: view, permission: 'own-settings:change', application, input }, (actor, input) => {
    const { pool, clock } = backOfficeRuntime()
    return keepView(pool, { applicationId: actor.applicationId, personId: actor.id, ...input }, clock.now())
  })
}

const oneView = z.object({ viewId: z.uuid() })
const changedView = z.object({ viewId: z.uuid(), name: viewName, ...use })

/** Renames a view of this person, or changes whether it is shared and whether its months are sent. */
export async function changeView(
  application: string,
  input: { viewId: string; name: string; isShared: boolean; isSentMonthly: boolean },
): Promise<ActionResult<{ name: string }, 'not_found' | 'name_taken' | 'only_totals'>> {
  return runAction({ schema: changedView, permission: 'own-settings:change', application, input }, (actor, change) => {
    const { pool, clock } = backOfficeRuntime()
    return changeSavedView(pool, { applicationId: actor.applicationId, personId: actor.id, ...change }, clock.now())
  })
}

/** Removes a view of this person. */
export async function deleteView(application: string, input: { viewId: string }): Promise<ActionResult<null, 'not_found'>> {
  return runAction({ schema: oneView, permission: 'own-settings:change', application, input }, (actor, { viewId }) =>
    removeSavedView(backOfficeRuntime().pool, { applicationId: actor.applicationId, personId: actor.id, viewId }),
  )
}
