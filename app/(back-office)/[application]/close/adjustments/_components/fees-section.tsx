import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { Button } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import { Select } from '#components/ui/field.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import type { FeesPage } from '#server/reconciliation/adjustments/read-adjustable.ts'
import { AdjustButton } from '../../../funding/_components/adjust-button.tsx'

type Props = { t: Translate; application: string; ledger: string | null; fees: FeesPage; mayPropose: boolean }

/** The fees that each application has earned at each operator and nobody has taken out. */
export function FeesSection({ t, application, ledger, fees: { rows, isMore, ledgers }, mayPropose }: Props) {
  return (
    <div className="mt-8">
      <h2>{t('adjustments.fees')}</h2>
      <p className="mt-1 max-w-2xl text-ink-2">{t('adjustments.feesText')}</p>
      {ledgers.length > 1 && (
        <form method="get" action={paths.adjustments(application)} className="no-print mt-3 flex flex-wrap items-end gap-3">
          <div className="w-64 max-sm:w-full">
            <Select id="fees-ledger" name="ledger" label={t('adjustments.application')} defaultValue={ledger ?? ''}>
              <option value="">{t('adjustments.anyApplication')}</option>
              {ledgers.map((each) => (
                <option key={each.ledger} value={each.ledger}>
                  {each.application}
                </option>
              ))}
            </Select>
          </div>
          <Button type="submit">{t('ui.apply')}</Button>
        </form>
      )}
      {rows.length === 0 ? (
        <EmptyState icon="wallet" title={t('adjustments.noFees')} />
      ) : (
        <ListTable
          label={t('adjustments.fees')}
          className="mt-3"
          isList
          rows={rows}
          keyOf={(row) => `${row.ledger} ${row.operator}`}
          columns={[
            { head: t('adjustments.application'), cellClass: 'wrap-anywhere', cell: (row) => <bdi>{row.application}</bdi> },
            { head: t('funding.operator'), cell: ({ operator }) => <OperatorMark code={operator} /> },
            {
              head: t('funding.feesEarned'),
              align: 'end',
              isLabelled: true,
              cell: ({ operator, feesMinor }) => <Money amount={formatMinor(feesMinor)} currency={OPERATORS[operator].country.currency} />,
            },
            {
              head: t('close.actions'),
              isHeadHidden: true,
              align: 'end',
              cell: (row) =>
                mayPropose &&
                row.feesMinor > 0n && (
                  <AdjustButton
                    application={application}
                    ledger={row.ledger}
                    subject={{ applicationName: row.application, operator: row.operator, earned: formatMinor(row.feesMinor) }}
                  />
                ),
            },
          ]}
          below={isMore && <p className="px-3 py-2 text-second text-quiet">{t('adjustments.more')}</p>}
        />
      )}
    </div>
  )
}
