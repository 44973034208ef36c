import { testSimulatorTable } from '#server/operators/testing/simulator-table.ts'

testSimulatorTable({
  codes: [['OMCM', '237690209']],
  operatorReference: /^(MP|CI)\d{6}\.\d{4}\.B\d{5}$/,
  hasCallbacks: true,
  cancelledCode: /^CANCELLED$/,
})
