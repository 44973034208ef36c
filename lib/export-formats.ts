/** The files that a list can be taken out as. */
export const EXPORT_FORMATS = ['csv', 'xlsx'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** The columns of the list of transactions. An export holds those that the person chose, in their order. */
export const LIST_COLUMNS = [
  'time',
  'type',
  'status',
  'amount',
  'customer',
  'operator',
  'note',
  'id',
  'externalId',
  'payToken',
  'fees',
  'maker',
  'finished',
] as const
export type ListColumn = (typeof LIST_COLUMNS)[number]
