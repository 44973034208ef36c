'use server'

import { z } from 'zod'
import type { ActionResult } from '#lib/action-result.ts'
import type { OperatorTestResult } from '#lib/operator-outcomes.ts'
import { err } from '#lib/result.ts'
import { operatorSchema } from '#lib/schemas/finance-query.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { runAction } from '#server/back-office/run-action.ts'

const oneOperator = z.strictObject({ operator: operatorSchema })

/** Signs in to an operator and reads the balance, which moves no money; limited per application and operator. */
export async function testOperator(
  application: string,
  input: { operator: string },
): Promise<ActionResult<OperatorTestResult, 'not_permitted' | 'not_set' | 'throttled'>> {
  return runAction({ schema: oneOperator, permission: 'operator:test', application, input }, async (actor, { operator }) => {
    const { pool, operatorTests } = backOfficeRuntime()
    const result = await operatorTests.run(pool, { applicationId: actor.applicationId, operator, actor })
    if (result.ok) return result
    return err(typeof result.error === 'string' ? result.error : result.error.code)
  })
}
