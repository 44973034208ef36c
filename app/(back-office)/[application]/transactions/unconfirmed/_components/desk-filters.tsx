import { OperatorOptions } from '#components/domain/operator-mark.tsx'
import { Button } from '#components/ui/button.tsx'
import { Select } from '#components/ui/field.tsx'
import { Link } from '#components/ui/link.tsx'
import { useT } from '#components/ui/translations.tsx'
import { UNCONFIRMED_AGES, UNCONFIRMED_FILTERS, unconfirmedAddress } from '#lib/finance/unconfirmed.ts'
import { paths } from '#lib/pages/paths.ts'
import { formatDuration } from '#lib/time/format-time.ts'
import type { DeskProps } from './desk-props.ts'

const FIELD = 'w-44 max-sm:w-[calc(50%-0.375rem)]'

/** The filters as a form that needs no script: its fields become the address. */
export function DeskFilters({ application, query, people }: DeskProps) {
  const t = useT()
  const { owner, operator, kind, minutes, type, currency, batch, unconfirmedAfter, unconfirmedBefore } = query
  const isFiltered = Object.values(unconfirmedAddress({ ...query, page: 0 })).some((value) => value !== null)
  // Filters that only links set. They stay until the filters are cleared.
  const linked = Object.entries({ type, currency, batch, unconfirmedAfter, unconfirmedBefore })
  return (
    // The fields are those of the address, also after a link has changed it.
    <form key={JSON.stringify(query)} action={paths.unconfirmed(application)} className="no-print mt-4 flex flex-wrap items-end gap-3">
      {linked.map(([name, value]) => value !== null && <input key={name} type="hidden" name={name} value={value} />)}
      <div className={FIELD}>
        <Select id="filter-owner" name="owner" label={t('exceptions.owner')} defaultValue={owner ?? ''}>
          <option value="">{t('exceptions.filter.anybody')}</option>
          <option value="me">{t('exceptions.filter.me')}</option>
          <option value="nobody">{t('exceptions.filter.nobody')}</option>
          {people.map(({ personId, name }) => (
            <option key={personId} value={personId}>
              {name}
            </option>
          ))}
        </Select>
      </div>
      <div className={FIELD}>
        <Select id="filter-operator" name="operator" label={t('unconfirmed.operator')} defaultValue={operator ?? ''}>
          <option value="">{t('unconfirmed.anyOperator')}</option>
          <OperatorOptions />
        </Select>
      </div>
      <div className={FIELD}>
        <Select id="filter-minutes" name="minutes" label={t('unconfirmed.olderThan')} defaultValue={minutes ?? ''}>
          <option value="">{t('exceptions.filter.anyAge')}</option>
          {UNCONFIRMED_AGES.map((each) => (
            <option key={each} value={each}>
              {formatDuration(t, each * 60_000, true)}
            </option>
          ))}
        </Select>
      </div>
      <div className={FIELD}>
        <Select id="filter-kind" name="kind" label={t('unconfirmed.why')} defaultValue={kind ?? ''}>
          <option value="">{t('unconfirmed.anyReason')}</option>
          {UNCONFIRMED_FILTERS.map((each) => (
            <option key={each} value={each}>
              {t(`unconfirmed.kind.${each}`)}
            </option>
          ))}
        </Select>
      </div>
      <Button type="submit">{t('ui.apply')}</Button>
      {isFiltered && (
        <Link href={paths.unconfirmed(application)} className="py-1.5 text-accent underline">
          {t('ui.clear')}
        </Link>
      )}
    </form>
  )
}
