import { Button } from '#components/ui/button.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { Link } from '#components/ui/link.tsx'
import { BATCH_STATES } from '#lib/batch-state.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/paths.ts'
import type { BatchListFilter } from '#lib/schemas/batch-address.ts'

/** A plain form: the address holds the filter. */
export function BatchFilters({ t, application, filter }: { t: Translate; application: string; filter: BatchListFilter }) {
  return (
    <form method="get" action={paths.batches(application)} className="no-print flex flex-wrap items-end gap-3">
      <div className="min-w-48 flex-1 basis-64 sm:max-w-md">
        <TextField id="batch-q" name="q" type="search" label={t('batches.find')} defaultValue={filter.q ?? ''} maxLength={200} />
      </div>
      <div className="min-w-40">
        <Select id="batch-state" name="state" label={t('batches.state')} defaultValue={filter.state ?? ''}>
          <option value="">{t('batches.anyState')}</option>
          {BATCH_STATES.map((state) => (
            <option key={state} value={state}>
              {t(`batches.stateOf.${state}`)}
            </option>
          ))}
        </Select>
      </div>
      <Button type="submit">{t('ui.apply')}</Button>
      {(filter.q || filter.state) && (
        <Link href={paths.batches(application)} className="py-1 text-accent hover:underline">
          {t('ui.clear')}
        </Link>
      )}
    </form>
  )
}
