'use client'

import { ButtonLink } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/empty-state.tsx'
import { Link } from '#components/ui/link.tsx'
import { useT } from '#components/ui/translations.tsx'
import { paths } from '#lib/paths.ts'
import { newPaymentPath } from '#lib/payment-address.ts'
import type { TransactionDetailDto } from '#lib/transaction-detail.ts'

type LineageProps = { application: string; detail: TransactionDetailDto; canCreate: boolean }

/** What the transaction was sent in place of, what was sent in its place, and the link to do so. Renders nothing if there is none of these. */
export function Lineage({ application, detail: { transactionId, replaces, replacedBy, isReplaceable }, canCreate }: LineageProps) {
  const t = useT()
  const to = (other: { transactionId: string }) => (
    <Link href={paths.transaction(application, other.transactionId)} className="underline">
      {t('transaction.lineage.open')}
    </Link>
  )
  return (
    <div className="grid gap-2 empty:hidden">
      {replaces && <Notice action={to(replaces)}>{t('transaction.lineage.replaces')}</Notice>}
      {replacedBy && <Notice action={to(replacedBy)}>{t('transaction.lineage.replacedBy')}</Notice>}
      {isReplaceable && canCreate && (
        <ButtonLink href={newPaymentPath(application, { from: transactionId })} variant="primary" className="no-print justify-self-start">
          {t('transaction.lineage.repair')}
        </ButtonLink>
      )}
    </div>
  )
}
