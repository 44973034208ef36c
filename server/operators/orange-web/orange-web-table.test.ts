import { testSimulatorTable } from '#server/operators/testing/simulator-table.ts'

testSimulatorTable({
  codes: [['CIOM', '2250701020']],
  // Deposits go through the gateway protocol.
  operatorReference: /^(MP260301\.|SIM)/,
  hasCallbacks: true,
  cancelledCode: /^(990903|null)$/,
})
