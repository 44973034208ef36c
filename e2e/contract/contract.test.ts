import { after, before } from 'node:test'
import { describeBadInput } from '#e2e/contract/suites/bad-input.ts'
import { describeBatches } from '#e2e/contract/suites/batches.ts'
import { describeDecisions } from '#e2e/contract/suites/decisions.ts'
import { describeDocumentation } from '#e2e/contract/suites/documentation.ts'
import { describeIdentity } from '#e2e/contract/suites/identity.ts'
import { describeInitiation } from '#e2e/contract/suites/initiation.ts'
import { describeReading } from '#e2e/contract/suites/reading.ts'
import { describeResults } from '#e2e/contract/suites/results.ts'
import { describeTokens } from '#e2e/contract/suites/tokens.ts'
import { describeTransport } from '#e2e/contract/suites/transport.ts'
import { describeWebhookEvents } from '#e2e/contract/suites/webhook-events.ts'
import { type ContractService, startContractService } from './service.ts'

let running: ContractService | undefined
before(async () => {
  running = await startContractService()
})
after(() => running?.stop())

function service(): ContractService {
  if (!running) throw new Error('The service does not run')
  return running
}

// The whole contract of the specification, against one service.
describeTokens(service)
describeIdentity(service)
describeInitiation(service)
describeBatches(service)
describeBadInput(service)
describeReading(service)
describeDecisions(service)
describeResults(service)
describeWebhookEvents(service)
describeDocumentation(service)
describeTransport(service)
