'use client'

import { Badge, type Tone } from '#components/ui/badge.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { TransactionStatus } from '#lib/transaction-status.ts'

const TONES: Record<TransactionStatus, Tone> = { SUCCESS: 'ok', FAILED: 'bad', PENDING_APPROVAL: 'wait', PENDING: 'run' }

/** A transaction's status as a word with a dot in its colour. */
export function StatusBadge({ status }: { status: TransactionStatus }) {
  const t = useT()
  return (
    <Badge tone={TONES[status]} hasDot>
      {t(`status.${status}`)}
    </Badge>
  )
}
