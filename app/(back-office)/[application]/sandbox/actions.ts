'use server'

import { type ActionResult, err, ok } from '#lib/result.ts'
import { type TestTransactionInput, testTransactionSchema } from '#lib/schemas/sandbox-tools.ts'
import { listAccess } from '#server/applications/access/access-store.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { findCustomerPage } from '#server/operators/customer-step/customer-link-store.ts'
import { startTestTransaction } from '#server/transactions/start-transactions.ts'

/** `customerPage`: of a collect, the address at which the tester acts as the customer. */
type TestStarted = { transactionId: string; customerPage: string | null }
type TestCode = 'not_permitted' | 'no_api_user' | 'refused' | 'overloaded'

/** Starts a test transaction in a sandbox, in the name of the first API user that may call. */
export async function startTest(application: string, input: TestTransactionInput): Promise<ActionResult<TestStarted, TestCode>> {
  return runAction<typeof testTransactionSchema, TestStarted, TestCode>(
    { schema: testTransactionSchema, permission: 'sandbox:use', application, input },
    async (actor, values) => {
      const runtime = backOfficeRuntime()
      const { isSandbox } = runtime.config
      const snapshot = runtime.directory.find(actor.applicationId)
      if (!snapshot || !isSandbox) return err({ code: 'not_found' })
      const { apiUsers } = await listAccess(runtime.pool, actor.applicationId)
      const apiUserId = apiUsers.find(({ isBlocked }) => !isBlocked)?.apiUserId
      const started = await startTestTransaction(runtime, { ...values, application: snapshot, isSandbox, actor, apiUserId })
      if (started.ok) {
        const { transactionId } = started.value
        return ok({
          transactionId,
          customerPage: await findCustomerPage(runtime.pool, { applicationId: actor.applicationId, transactionId }),
        })
      }
      return err(
        started.error === 'not_a_sandbox' ? { code: 'not_found' } : started.error === 'invalid' ? { code: 'invalid' } : started.error,
      )
    },
  )
}
