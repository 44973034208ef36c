/** The pages whose address a person can save under a name. */
export const VIEW_LISTS = ['transactions', 'totals'] as const
export type ViewList = (typeof VIEW_LISTS)[number]

/**
 * A saved view: `query` is the query string of its page, `sharedBy` the name of its owner if that is somebody else. `isSentMonthly`: its reader has
 * the table of each month sent; only the owner of totals can.
 */
export type SavedView = {
  viewId: string
  name: string
  query: string
  isShared: boolean
  isSentMonthly: boolean
  sharedBy: string | null
}

/** On the first day of each month, from this hour of the application's business zone, saved totals of the month before are sent. */
export const MONTHLY_HOUR = 6

/**
 * How a month of saved totals reaches its owner, in words for the page: `email` to this address; otherwise it is only listed as waiting, because the
 * installation has no mail server (`no_server`) or the person wants no such e-mail (`not_wanted`).
 */
export type MonthlySending = { zone: string; email: string; by: 'email' | 'no_server' | 'not_wanted' }
