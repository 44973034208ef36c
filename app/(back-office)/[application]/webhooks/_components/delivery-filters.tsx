import { Button } from '#components/ui/button.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/paths.ts'
import type { DeliveryFilter } from '#lib/schemas/webhook-portal.ts'
import { FAILED_OUTCOMES } from '#lib/webhook-portal.ts'
import { WEBHOOK_STATES } from '#lib/webhook-state.ts'

/** Within a date the browser moves the focus from day to month to year, and does not count that as visible focus of the field. */
const DATE_FOCUS = 'focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-accent'

/** The filters as a form that needs no script: its fields become the address. */
export function DeliveryFilters({ t, application, filter }: { t: Translate; application: string; filter: DeliveryFilter }) {
  const isFiltered = filter.state !== null || filter.cause !== null || filter.from !== null || filter.to !== null
  return (
    <form action={paths.webhooks(application)} className="no-print mt-5 flex flex-wrap items-end gap-3">
      <div className="w-44 max-sm:w-full">
        <Select id="filter-state" name="state" label={t('webhooks.state')} defaultValue={filter.state ?? ''}>
          <option value="">{t('webhooks.all')}</option>
          {WEBHOOK_STATES.map((state) => (
            <option key={state} value={state}>
              {t(`webhooks.stateIs.${state}`)}
            </option>
          ))}
        </Select>
      </div>
      <div className="w-56 max-sm:w-full">
        <Select id="filter-cause" name="cause" label={t('webhooks.cause')} defaultValue={filter.cause ?? ''}>
          <option value="">{t('webhooks.all')}</option>
          {FAILED_OUTCOMES.map((outcome) => (
            <option key={outcome} value={outcome}>
              {t(`webhooks.outcome.${outcome}`)}
            </option>
          ))}
        </Select>
      </div>
      <div className="w-36">
        <TextField
          id="filter-from"
          name="from"
          type="date"
          className={DATE_FOCUS}
          label={t('webhooks.from')}
          defaultValue={filter.from ?? ''}
        />
      </div>
      <div className="w-36">
        <TextField id="filter-to" name="to" type="date" className={DATE_FOCUS} label={t('webhooks.to')} defaultValue={filter.to ?? ''} />
      </div>
      <Button type="submit">{t('ui.apply')}</Button>
      {isFiltered && (
        <Link href={paths.webhooks(application)} className="py-1.5 text-accent underline">
          {t('ui.clear')}
        </Link>
      )}
    </form>
  )
}
