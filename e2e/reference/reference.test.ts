import { after, before, describe } from 'node:test'
import { type Service, startService } from '#e2e/contract/service.ts'
import { describeGeneratedClient } from './generated-client.ts'
import { describeSamples } from './samples.ts'

let service: Service
before(async () => {
  service = await startService('direct')
})
after(() => service.stop())

describe('the API reference', () => {
  describeSamples(() => service)
  describeGeneratedClient(() => service)
})
