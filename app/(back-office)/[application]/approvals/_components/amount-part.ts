import { definePart } from '#components/ui/lazy-part.tsx'

/** The form of the filter by amount: loaded when the page is idle, shown when the filter is opened. */
export const AMOUNT_FORM = definePart(async () => ({ default: (await import('#components/form/amount-range-form.tsx')).AmountRangeForm }))
