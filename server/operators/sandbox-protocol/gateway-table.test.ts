import { testSimulatorTable } from '#server/operators/testing/simulator-table.ts'

// The code without any public protocol.
testSimulatorTable({
  codes: [['SNFREE', '221761209']],
  operatorReference: /^SIM[0-9A-F]{17}$/,
  hasCallbacks: true,
  cancelledCode: null,
})
