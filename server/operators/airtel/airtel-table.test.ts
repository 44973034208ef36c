import { testSimulatorTable } from '#server/operators/testing/simulator-table.ts'

testSimulatorTable({
  codes: [['UGAIRTEL', '256702123']],
  operatorReference: /^(CI)?\d{12}$/,
  hasCallbacks: true,
  cancelledCode: /^DP00800001008$/,
})
