import { testSimulatorTable } from '#server/operators/testing/simulator-table.ts'

testSimulatorTable({
  codes: [['SNOM', '221772093']],
  operatorReference: /^(MP|CI)260301\.\d{4}\.[0-9A-F]{2}\d{10}$/,
  hasCallbacks: true,
  cancelledCode: /^CANCELLED$/,
})
