import { notFound } from 'next/navigation'
import { DaysNote } from '#components/domain/time-text.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { paths } from '#lib/pages/paths.ts'
import { can } from '#lib/people/permissions.ts'
import { LINE_CLASSES, TRANSACTION_CLASSES } from '#lib/reconciliation/classes.ts'
import { dayText, walletText } from '#lib/reconciliation/wallet-words.ts'
import { zoneWords } from '#lib/time/format-time.ts'
import { addDays, isUtcDay } from '#lib/time/time.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT } from '#server/back-office/preferences.ts'
import { readKeptSums } from '#server/reconciliation/days/kept-sums.ts'
import { listDayItems } from '#server/reconciliation/days/list-items.ts'
import { readDays } from '#server/reconciliation/days/read-days.ts'
import { readWallet } from '#server/reconciliation/wallets/wallet-store.ts'
import { PageContent, type PageProps, titled } from '../../../../_components/page-content.tsx'
import { requireCloser } from '../../../require-closer.ts'
import { ComparisonTable, TermTable } from './_components/day-tables.tsx'
import { ItemTable } from './_components/item-table.tsx'

export const generateMetadata = titled('close.dayTitle')

const CLASSES: ReadonlySet<string> = new Set([...LINE_CLASSES, ...TRANSACTION_CLASSES, 'adjusted', 'funding'])
/** As many as a person works through on one page. */
const ITEMS_MAX = 200

/** One wallet on one of its operator's days: ours, the statement and the difference, what explains it, and the lines of one class. */
export default async function WalletDayPage({ params, searchParams }: PageProps<'wallet' | 'day'>) {
  const { application, wallet: id, day } = await params
  const actor = await requireCloser(application)
  const { pool } = backOfficeRuntime()
  const wallet = isUtcDay(day) ? await readWallet(pool, actor.applicationId, id) : undefined
  if (!wallet) notFound()
  const wanted = (await searchParams)['class']
  const chosen = typeof wanted === 'string' && CLASSES.has(wanted) ? wanted : null
  const scope = { applicationId: actor.applicationId, wallet, from: day, to: day }
  const [t, [compared]] = await Promise.all([getT(), readDays(pool, scope, readKeptSums)])
  if (!compared) notFound()
  const items = chosen === null ? [] : await listDayItems(pool, scope, chosen, ITEMS_MAX)
  return (
    <PageContent words={['close.', 'status.']}>
      <PageHeader
        title={`${walletText(t, id)} · ${dayText(t, day)}`}
        lead={<DaysNote zone={wallet.zone} />}
        actions={
          <>
            <ButtonLink href={paths.closeDay(application, id, addDays(day, -1))}>{t('close.dayBefore')}</ButtonLink>
            <ButtonLink href={paths.closeDay(application, id, addDays(day, 1))}>{t('close.dayAfter')}</ButtonLink>
            <ButtonLink href={paths.close(application)}>{t('close.toBoard')}</ButtonLink>
          </>
        }
      />
      <div className="mt-4 grid gap-4">
        <Verdict t={t} day={compared} />
        <div className="grid items-start gap-4 xl:grid-cols-2">
          <ComparisonTable t={t} day={compared} />
          <TermTable t={t} application={application} day={compared} chosen={chosen} />
        </div>
        {chosen !== null && (
          <ItemTable
            t={t}
            application={application}
            day={compared}
            dayClass={chosen}
            items={items}
            isCut={items.length === ITEMS_MAX}
            mayWork={can(actor.roles, 'reconciliation:work')}
          />
        )}
        <p className="text-second text-quiet">{t('close.dayNote', { zone: zoneWords(t, wallet.zone) })}</p>
      </div>
    </PageContent>
  )
}

type VerdictProps = { t: Awaited<ReturnType<typeof getT>>; day: NonNullable<Awaited<ReturnType<typeof readDays>>[number]> }

/** Whether the day ties, in one sentence. */
function Verdict({ t, day }: VerdictProps) {
  if (!day.isCovered) return <Notice tone="wait">{t('close.notCovered')}</Notice>
  if (day.unexplained !== '0') return <Notice tone="bad">{t('close.hasUnexplained')}</Notice>
  if (day.grave > 0) return <Notice tone="wait">{t('close.hasGrave', { count: day.grave })}</Notice>
  return <Notice tone="ok">{t(day.proof === null ? 'close.tiesUnproved' : 'close.ties')}</Notice>
}
