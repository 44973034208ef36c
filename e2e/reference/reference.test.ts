import { after, before, describe } from 'node:test'
import { type ContractService, startContractService } from '#e2e/contract/service.ts'
import { describeClients } from './clients.ts'
import { describeCompiledClients } from './compiled-clients.ts'
import { describeGeneratedClient } from './generated-client.ts'
import { describeSamples } from './samples.ts'

let service: ContractService
before(async () => {
  service = await startContractService()
})
after(() => service.stop())

describe('the API reference', () => {
  describeSamples(() => service)
  describeClients(() => service)
  describeGeneratedClient(() => service)
  describeCompiledClients(() => service)
})
