import { testSimulatorTable } from '#server/operators/testing/simulator-table.ts'

testSimulatorTable({
  codes: [['BFOM', '22676123']],
  // Deposits go through the gateway protocol.
  operatorReference: /^(OM|SIM)/,
  hasCallbacks: true,
  cancelledCode: /^(990903|null)$/,
  // Orange answers no queries: a payment without a reply stays unknown.
  openAttempt: 'query unknown',
})
