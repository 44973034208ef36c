import { Button } from '#components/ui/button.tsx'
import { TextField } from '#components/ui/field.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'

/** Finds the transaction with an id. A plain form: the address holds the id. */
export function TransactionForm({ t, application, transaction }: { t: Translate; application: string; transaction: string }) {
  return (
    <form method="get" action={paths.adjustments(application)} className="no-print mt-2 flex flex-wrap items-end gap-3">
      <div className="min-w-48 flex-1 basis-64 sm:max-w-md">
        <TextField
          id="adjusted-transaction"
          name="transaction"
          label={t('adjustments.transactionId')}
          defaultValue={transaction}
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
        />
      </div>
      <Button type="submit">{t('adjustments.find')}</Button>
      {transaction !== '' && (
        <Link href={paths.adjustments(application)} className="py-1.5 text-accent underline">
          {t('ui.clear')}
        </Link>
      )}
    </form>
  )
}
