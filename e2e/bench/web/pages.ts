/** The pages that are requested, and the person who opens them: addresses are relative to the application. */
type WebQuestion = { name: string; page: string; data?: string }

/** The pages that people wait for, as they open them: fresh, filtered, deep in the list, over a long range. `$` is a transaction. */
export const WEB_QUESTIONS: WebQuestion[] = [
  { name: 'list', page: '/transactions', data: '/transactions' },
  {
    name: 'list by status and operator',
    page: '/transactions?status=FAILED&operator=MOMOCM',
    data: '/transactions?status=FAILED&operator=MOMOCM',
  },
  { name: 'list by amount', page: '/transactions?sort=amount-desc', data: '/transactions?sort=amount-desc' },
  {
    name: 'list of an operator by amount, three years',
    page: '/transactions?status=FAILED&operator=MOMOCM&from=2024-01-01&sort=amount-desc',
    data: '/transactions?status=FAILED&operator=MOMOCM&from=2024-01-01&sort=amount-desc',
  },
  { name: 'list by name', page: '/transactions?name=essomba', data: '/transactions?name=essomba' },
  { name: 'list, deep', page: '/transactions?page=4000', data: '/transactions?page=4000' },
  { name: 'one transaction', page: '/transactions/$', data: '/transactions/$' },
  { name: 'approvals', page: '/approvals', data: '/approvals' },
  { name: 'approvals decided', page: '/approvals?queue=decided', data: '/approvals?queue=decided' },
  { name: 'totals', page: '/totals', data: '/totals' },
  { name: 'totals of ten years', page: '/totals?from=2016-01-01&to=2027-01-01', data: '/totals?from=2016-01-01&to=2027-01-01' },
  { name: 'balances', page: '/balances', data: '/balances' },
  { name: 'statement', page: '/balances/MOMOCM', data: '/balances/MOMOCM' },
  { name: 'overview', page: '', data: '/overview' },
]
