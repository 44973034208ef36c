import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { verifyDatabase } from '#server/reports/verify/verify-books.ts'
import { type PayoutService, startPayoutService } from './payout-service.ts'
import { describeAdministrator } from './suites/administrator.ts'
import { describeChecker } from './suites/checker.ts'
import { describeMaker } from './suites/maker.ts'
import { describeOperator } from './suites/operator.ts'
import { describeProgram } from './suites/program.ts'

describe('one dishonest person in a service that pays', () => {
  let running: PayoutService | undefined
  before(async () => {
    running = await startPayoutService()
  })
  after(() => running?.end())
  const service = (): PayoutService => running ?? assert.fail('the service does not run')
  describeMaker(service)
  describeChecker(service)
  describeAdministrator(service)
  describeProgram(service)
  describeOperator(service)

  test('no difference in the books and the audit chains afterwards', async () => {
    assert.deepEqual(await verifyDatabase(service().database.pool), [])
  })
})
