import { describeContract } from './describe-contract.ts'

describeContract('direct')
