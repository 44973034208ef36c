import { type QueryValues, toQuery } from './paths.ts'

/**
 * The address and the keys of the form of a payment. Apart from `paths` and `queryKeys`, which every page loads: lists have no bytes to spare.
 */

/** `payment`: the identity of the form, so that a reload is the same payment. `from`: the transaction that it replaces. */
export function newPaymentPath(application: string, query: { payment?: string; from?: string | undefined } = {}): string {
  return `/${application}/new${toQuery(query)}`
}

/** A balance that moves changes the preview too, so its key begins like those of the balances. */
export const paymentQueryKeys = {
  preview: (application: string, typed: QueryValues) => ['balances', application, 'preview', typed] as const,
  beneficiaries: (application: string, typed: QueryValues) => ['beneficiaries', application, typed] as const,
} as const
