'use client'

import { useT } from '#components/ui/translations.tsx'
import type { TransactionType } from '#lib/transaction-status.ts'

/** The type of a transaction in words. */
export function TypeWord({ type }: { type: TransactionType }) {
  return useT()(`type.${type}`)
}
