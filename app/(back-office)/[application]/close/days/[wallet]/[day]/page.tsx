import { notFound } from 'next/navigation'
import { DaysNote } from '#components/domain/time-text.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { BOOK_CHANGES } from '#lib/approvals/proposed-change.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { can } from '#lib/people/permissions.ts'
import { DAY_CLASSES, type ReportedProof, type TieDto, type WalletDayDto } from '#lib/reconciliation/days.ts'
import { dayText, walletText } from '#lib/reconciliation/wallet-words.ts'
import { formatAmount } from '#lib/text/format.ts'
import { formatTime, zoneWords } from '#lib/time/format-time.ts'
import { addDays, isUtcDay } from '#lib/time/time.ts'
import { requireInstaller } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listChanges } from '#server/changes/list-changes.ts'
import { readCertificate } from '#server/reconciliation/certificates/certificate-store.ts'
import { readSigning } from '#server/reconciliation/certificates/signable-day.ts'
import { listLargestDifferences } from '#server/reconciliation/days/difference-store.ts'
import { readKeptSums } from '#server/reconciliation/days/kept-sums.ts'
import { listDayItems } from '#server/reconciliation/days/list-items.ts'
import { readDays } from '#server/reconciliation/days/read-days.ts'
import { readTie } from '#server/reconciliation/days/read-tie.ts'
import { readReportedProof } from '#server/reconciliation/days/reported-proof.ts'
import { readWallet } from '#server/reconciliation/wallets/wallet-store.ts'
import { ChangeList } from '../../../../_components/changes/change-list.tsx'
import { PageContent, type PageProps, titled } from '../../../../_components/page-content.tsx'
import { ComparisonTable } from './_components/comparison-table.tsx'
import { DifferenceTable } from './_components/difference-table.tsx'
import { ItemTable } from './_components/item-table.tsx'
import { SigningCard } from './_components/signing-card.tsx'
import { TieTable } from './_components/tie-table.tsx'

export const generateMetadata = titled('close.dayTitle')

const CLASSES: ReadonlySet<string> = new Set([...DAY_CLASSES, 'difference'])
/** As many as a person works through on one page. */
const ITEMS_MAX = 200

/** One wallet on one of its operator's days: ours, the statement and the difference, what explains it, and the lines of one class. */
export default async function WalletDayPage({ params, searchParams }: PageProps<'wallet' | 'day'>) {
  const { application, wallet: id, day } = await params
  const actor = await requireInstaller(application, 'reconciliation:read')
  const { pool, clock } = backOfficeRuntime()
  const { applicationId } = actor
  const wallet = isUtcDay(day) ? await readWallet(pool, actor.applicationId, id) : undefined
  if (!wallet) notFound()
  const wanted = (await searchParams)['class']
  const chosen = typeof wanted === 'string' && CLASSES.has(wanted) ? wanted : null
  // A prepared or signed day shows what was signed: a payment that ended later was still open.
  const newest = await readCertificate(pool, { applicationId, wallet: id, day })
  const asOf = newest && newest.state !== 'reopened' ? { asOf: newest.preparedAt } : {}
  const scope = { applicationId, wallet, from: day, to: day, ...asOf }
  const [t, locale, [compared], { changes }] = await Promise.all([
    getT(),
    readLocale(),
    readDays(pool, scope, readKeptSums),
    listChanges(pool, { applicationId, kinds: ['day.reopen', ...BOOK_CHANGES], actor }),
  ])
  if (!compared) notFound()
  const reported = await readReportedProof(pool, applicationId, { wallet, compared })
  const tie = await readTie(pool, { ...scope, compared, reported })
  const signing = await readSigning(pool, { ...scope, compared, viewerId: actor.id, now: clock.now() })
  const isDifference = chosen === 'difference'
  const parts = isDifference ? await listLargestDifferences(pool, scope, ITEMS_MAX) : []
  const items = chosen === null || isDifference ? [] : await listDayItems(pool, scope, chosen, ITEMS_MAX)
  return (
    <PageContent words={['close.', 'status.', 'change.', 'time.', 'country.']}>
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
        <Verdict t={t} locale={locale} zone={wallet.zone} day={compared} tie={tie} reported={reported} />
        <SigningCard
          t={t}
          application={application}
          day={compared}
          signing={signing}
          may={{ sign: can(actor.roles, 'day:sign'), reopen: can(actor.roles, 'day:reopen') }}
        />
        <ChangeList
          t={t}
          locale={locale}
          application={application}
          // On the day of the line, where it was proposed, and on the day that it counts on once that of the line is signed.
          changes={changes.filter(({ after }) => after['wallet'] === id && [after['day'], after['originDay']].includes(day))}
        />
        <div className="grid items-start gap-4 xl:grid-cols-2">
          <ComparisonTable t={t} day={compared} />
          <TieTable t={t} application={application} day={compared} tie={tie} chosen={chosen} />
        </div>
        {isDifference && (
          <DifferenceTable t={t} application={application} day={compared} parts={parts} isCut={parts.length === ITEMS_MAX} />
        )}
        {chosen !== null && !isDifference && (
          <ItemTable
            t={t}
            application={application}
            day={compared}
            dayClass={chosen}
            items={items}
            isCut={items.length === ITEMS_MAX}
            mayWork={can(actor.roles, 'reconciliation:work')}
            mayPropose={can(actor.roles, 'adjustment:propose')}
          />
        )}
        <p className="text-second text-quiet">
          {t('close.dayNote', { zone: zoneWords(t, wallet.zone) })} <span className="max-sm:hidden">{t('close.sign.key')}</span>
        </p>
      </div>
    </PageContent>
  )
}

type VerdictProps = { t: Translate; locale: Locale; zone: string; day: WalletDayDto; tie: TieDto; reported: ReportedProof | null }

/** Whether the day ties, in one sentence; and what the balances that the operator reported say against its lines. */
function Verdict({ t, locale, zone, day, tie, reported }: VerdictProps) {
  const at = (instant: string) => formatTime(t, zone, new Date(instant), 'day-time')
  const between = reported && { from: at(reported.openedAt), to: at(reported.closedAt) }
  const amount = reported && `${formatAmount(reported.difference, locale)}\u00a0${day.currency}`
  const differs = between && reported.difference !== '0' && t('close.reportedDiffers', { ...between, amount: amount ?? '' })
  return (
    <>
      {!day.isCovered ? (
        <Notice tone="wait">{t('close.notCovered')}</Notice>
      ) : tie.unexplained !== '0' ? (
        <Notice tone="bad">{t('close.hasUnexplained')}</Notice>
      ) : day.grave > 0 ? (
        <Notice tone="wait">{t('close.hasGrave', { count: day.grave })}</Notice>
      ) : day.proof !== null ? (
        <Notice tone="ok">{t('close.ties')}</Notice>
      ) : between && !differs ? (
        <Notice tone="ok">{t('close.tiesReported', between)}</Notice>
      ) : (
        <Notice>{t('close.tiesUnproved')}</Notice>
      )}
      {differs && <Notice tone="wait">{differs}</Notice>}
    </>
  )
}
