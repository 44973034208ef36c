import { notFound } from 'next/navigation'
import { ExportLinks } from '#components/domain/export-links.tsx'
import { Money } from '#components/domain/money.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { Card, Facts } from '#components/ui/display/card.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { paths } from '#lib/pages/paths.ts'
import { dayText, walletText } from '#lib/reconciliation/wallet-words.ts'
import { settlementPageSchema } from '#lib/schemas/page-address.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { isUtcDay } from '#lib/time/time.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT } from '#server/back-office/preferences.ts'
import { readSettlement } from '#server/reconciliation/settlements/read-settlements.ts'
import { PageContent, type PageProps, titled } from '../../../_components/page-content.tsx'
import { WrongAddress } from '../../../_components/wrong-address.tsx'
import { AdjustmentTable, currencyOf, TransactionTable } from './_components/settlement-tables.tsx'

export const generateMetadata = titled('frame.settlements')

const SIZE = 100

/** The effect of a signed day of an account on the application's balance: opening, each line, closing. */
export default async function SettlementPage({ params, searchParams }: PageProps<'wallet' | 'day'>) {
  const { application, wallet, day } = await params
  const actor = await requireActor(application, 'settlement:read')
  const address = readAddress(settlementPageSchema, await searchParams)
  if (!address.ok) return <WrongAddress href={paths.settlement(application, wallet, day)} />
  const { page } = address.value
  const asked = { wallet, day, page, size: SIZE }
  const found = isUtcDay(day) ? await readSettlement(backOfficeRuntime().reportPool, actor.applicationId, asked) : undefined
  if (!found) notFound()
  const [t, { report, transactions, adjustments }] = [await getT(), found]
  const money = (amount: string) => <Money amount={amount} currency={currencyOf(report.currency)} />
  const hrefFor = (each: number) => paths.settlement(application, wallet, day, { page: each === 0 ? null : each + 1 })
  return (
    <PageContent words={['settlements.', 'table.']}>
      <PageHeader
        title={`${t('settlements.title', { wallet: walletText(t, wallet) })} · ${dayText(t, day)}`}
        actions={
          <>
            <ExportLinks application={application} rest={`settlements/${wallet}/${day}/export`} label={t('settlements.export')} />
            <ButtonLink href={paths.settlements(application, { month: day.slice(0, 7) })}>{t('settlements.all')}</ButtonLink>
          </>
        }
      />
      {report.state !== 'signed' && <Notice tone="wait">{t(`settlements.state.${report.state}`)}</Notice>}
      <div className="mt-4 max-w-2xl">
        <Card>
          <Facts
            nameClass="w-28 sm:w-52"
            facts={[
              { name: t('settlements.opening'), value: money(report.opening) },
              { name: t('settlements.transactionsNet'), value: money(report.transactionsNet) },
              { name: t('settlements.adjustmentsNet'), value: money(report.adjustmentsNet) },
              { name: t('settlements.closing'), value: <strong>{money(report.closing)}</strong> },
              { name: t('settlements.signed'), value: <TimeText at={report.signedAt} style="full" /> },
              { name: t('settlements.version'), value: report.version },
              { name: t('settlements.certificate'), value: <span className="wrap-anywhere tabular">{report.certificateHash}</span> },
            ]}
          />
        </Card>
      </div>
      <TransactionTable t={t} application={application} report={report} transactions={transactions} />
      <p className="mt-2 flex gap-2 empty:hidden">
        {page > 0 && <ButtonLink href={hrefFor(page - 1)}>{t('settlements.pageBefore')}</ButtonLink>}
        {(page + 1) * SIZE < report.transactionCount && <ButtonLink href={hrefFor(page + 1)}>{t('settlements.pageAfter')}</ButtonLink>}
      </p>
      {adjustments.length > 0 && <AdjustmentTable t={t} application={application} report={report} adjustments={adjustments} />}
    </PageContent>
  )
}
