import { testSimulatorTable } from '#server/operators/testing/simulator-table.ts'

testSimulatorTable({
  codes: [
    ['MOMOCM', '237677209'],
    ['BJMTN', '2290196123'],
    ['UGMTN', '256772123'],
  ],
  operatorReference: /^\d{12}$/,
  hasCallbacks: true,
  cancelledCode: /^(APPROVAL_REJECTED|TRANSACTION_CANCELED)$/,
})
