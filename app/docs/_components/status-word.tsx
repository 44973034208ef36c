import { Badge, type Tone } from '#components/ui/badge.tsx'
import type { TransactionStatus } from '#lib/transaction-status.ts'

const TONES: Record<TransactionStatus, Tone> = { SUCCESS: 'ok', FAILED: 'bad', PENDING_APPROVAL: 'wait', PENDING: 'run' }

/** A status as the API writes it, in the colour that it has in the back office. */
export function StatusWord({ status }: { status: TransactionStatus }) {
  return (
    <Badge tone={TONES[status]} hasDot>
      {status}
    </Badge>
  )
}
