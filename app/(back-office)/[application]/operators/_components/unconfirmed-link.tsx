import { Link } from '#components/ui/link.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'

type Props = { t: Translate; application: string; operator: OperatorCode; type: TransactionType; count: number }

/** How many transactions of a direction have an unknown outcome, with the list of them. Nothing if there are none. */
export function UnconfirmedLink({ t, application, operator, type, count }: Props) {
  if (count === 0) return null
  return (
    <Link
      href={paths.unconfirmed(application, { kind: 'no_answer', operator, type })}
      className="inline-block py-0.5 text-second text-wait underline"
    >
      {t('operators.unconfirmed', { count })}
    </Link>
  )
}
