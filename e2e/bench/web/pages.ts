/** One request: a page, its data, or both. Addresses are relative to the application. */
export type WebQuestion = { name: string; page?: string; data?: string }

/**
 * The pages that people wait for, as they open them: fresh, filtered, deep in the list, over a long range; and what the search box asks while
 * somebody types. `$` is a transaction.
 */
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
  { name: 'list by maker', page: '/transactions?maker=api', data: '/transactions?maker=api' },
  { name: 'list by failure reason', page: '/transactions?reason=insufficientFunds', data: '/transactions?reason=insufficientFunds' },
  { name: 'list, deep', page: '/transactions?page=4000', data: '/transactions?page=4000' },
  { name: 'one transaction', page: '/transactions/$', data: '/transactions/$' },
  { name: 'approvals', page: '/approvals', data: '/approvals' },
  { name: 'approvals decided', page: '/approvals?queue=decided', data: '/approvals?queue=decided' },
  { name: 'totals', page: '/totals', data: '/totals' },
  { name: 'totals of ten years', page: '/totals?from=2016-01-01&to=2027-01-01', data: '/totals?from=2016-01-01&to=2027-01-01' },
  { name: 'balances', page: '/balances', data: '/balances' },
  { name: 'statement', page: '/balances/MOMOCM', data: '/balances/MOMOCM' },
  { name: 'overview', page: '', data: '/overview' },
  { name: 'suggestions by name', data: '/suggestions?q=essomba' },
  { name: 'suggestions by two letters of a name', data: '/suggestions?q=ma' },
  { name: 'suggestions by two words', data: '/suggestions?q=clarisse%20ess' },
  { name: 'suggestions by phone', data: '/suggestions?q=23760' },
  { name: 'suggestions by national number', data: '/suggestions?q=600' },
  { name: 'suggestions by id', data: '/suggestions?q=0000' },
  { name: 'suggestions without a match', data: '/suggestions?q=zzzzzz' },
]

/** Asked once more while fees are being summed, as after a first start over a history. `after`: how far the sums are behind. */
export function questionsOfFees(after: string): WebQuestion[] {
  return [
    { name: `totals ${after}`, page: '/totals', data: '/totals' },
    {
      name: `totals of ten years ${after}`,
      page: '/totals?from=2016-01-01&to=2027-01-01',
      data: '/totals?from=2016-01-01&to=2027-01-01',
    },
    { name: `overview ${after}`, page: '', data: '/overview' },
  ]
}
