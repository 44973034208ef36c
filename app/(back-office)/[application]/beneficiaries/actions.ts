'use server'

import type { z } from 'zod'
import { type ActionResult, err } from '#lib/result.ts'
import { beneficiaryArchiveSchema, beneficiaryPlaceSchema, prepareListSchema } from '#lib/schemas/beneficiary.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { changePlace, setArchived } from '#server/beneficiaries/change-beneficiary.ts'
import { type PrepareFailure, prepareList as prepare } from '#server/beneficiaries/prepare-list.ts'

/** Changes group and amount of a person. */
export async function editBeneficiary(
  application: string,
  input: z.input<typeof beneficiaryPlaceSchema>,
): Promise<ActionResult<void, 'not_permitted' | 'not_found'>> {
  return runAction(
    { schema: beneficiaryPlaceSchema, permission: 'beneficiary:change', application, input },
    (actor, { amount, ...change }) =>
      changePlace(backOfficeRuntime().pool, { ...change, applicationId: actor.applicationId, amountMinor: amount, actor }),
  )
}

/** Takes a person out of the book, or back into it. */
export async function archiveBeneficiary(
  application: string,
  input: z.input<typeof beneficiaryArchiveSchema>,
): Promise<ActionResult<void, 'not_permitted' | 'not_found' | 'number_in_book'>> {
  return runAction({ schema: beneficiaryArchiveSchema, permission: 'beneficiary:change', application, input }, (actor, change) =>
    setArchived(backOfficeRuntime().pool, { ...change, applicationId: actor.applicationId, actor }),
  )
}

/** Prepares a batch from an earlier list or a group. */
export async function prepareList(
  application: string,
  input: z.input<typeof prepareListSchema>,
): Promise<ActionResult<{ batchId: string; rows: number }, PrepareFailure | 'not_permitted'>> {
  return runAction<typeof prepareListSchema, { batchId: string; rows: number }, PrepareFailure | 'not_permitted'>(
    { schema: prepareListSchema, permission: 'transaction:create', application, input },
    async (actor, terms) => {
      const { pool, connectors, directory } = backOfficeRuntime()
      const snapshot = directory.find(actor.applicationId)
      return snapshot ? prepare({ pool, connectors }, { application: snapshot, actor, ...terms }) : err('not_found')
    },
  )
}
