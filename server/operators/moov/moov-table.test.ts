import { testSimulatorTable } from '#server/operators/testing/simulator-table.ts'

testSimulatorTable({
  codes: [
    ['BJMOOV', '2290195209'],
    ['MLMOOV', '22366209'],
  ],
  operatorReference: /^\d{15}$/,
  hasCallbacks: false,
  cancelledCode: /^91$/,
})
