'use server'

import { type ActionResult, err, ok } from '#lib/result.ts'
import { type ExampleRunInput, exampleRunSchema } from '#lib/schemas/sandbox-tools.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'
import { type ExampleAnswer, runExample } from '#server/back-office/run-example.ts'
import { callerAddress } from '#server/caller-address.ts'
import { requireProcessWide, START_THE_SERVICE } from '#server/process-wide.ts'

export type RunCode = 'not_permitted' | 'no_api_user'

/** Runs an example of the reference in a sandbox, in place of the program of an application of the person. */
export async function runDocsExample(application: string, input: ExampleRunInput): Promise<ActionResult<ExampleAnswer, RunCode>> {
  return runAction<typeof exampleRunSchema, ExampleAnswer, RunCode>(
    { schema: exampleRunSchema, permission: 'sandbox:use', application, input },
    async (actor, values) => {
      const snapshot = backOfficeRuntime().directory.find(actor.applicationId)
      if (!snapshot) return err({ code: 'not_found' })
      const runtime = requireProcessWide('httpRuntime', START_THE_SERVICE)
      const ran = await runExample(runtime, { ...values, application: snapshot, actor, address: callerAddress() })
      if (ran.ok) return ok(ran.value)
      const { error } = ran
      return err({ code: error === 'not_a_sandbox' ? 'not_found' : error })
    },
  )
}
