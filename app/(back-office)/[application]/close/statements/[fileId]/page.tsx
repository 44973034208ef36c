import { notFound } from 'next/navigation'
import { z } from 'zod'
import { Money } from '#components/domain/money.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { Card, Facts } from '#components/ui/display/card.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import type { Currency } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import { can } from '#lib/people/permissions.ts'
import { statementProblemText } from '#lib/reconciliation/statement-problem.ts'
import type { StatementFileDto } from '#lib/reconciliation/statements.ts'
import { walletText } from '#lib/reconciliation/wallet-words.ts'
import { findWallet } from '#lib/reconciliation/wallets.ts'
import { formatCount } from '#lib/text/format.ts'
import { requireInstaller } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listChanges } from '#server/changes/list-changes.ts'
import { readStatement } from '#server/reconciliation/statements/list-statements.ts'
import { readWallet } from '#server/reconciliation/wallets/wallet-store.ts'
import { ChangeList } from '../../../_components/changes/change-list.tsx'
import { PageContent, type PageProps, titled } from '../../../_components/page-content.tsx'
import { StatementState, statementPeriod } from '../../_components/statement-state.tsx'
import { DecideStatement, RefreshWhile, WithdrawStatement } from './_components/decide-statement.tsx'
import { MapColumns } from './_components/map-columns.tsx'

export const generateMetadata = titled('statements.title')

/** One statement: what it is, its counts before and after the import, and why it was refused. */
export default async function StatementPage({ params }: PageProps<'fileId'>) {
  const { application, fileId } = await params
  const actor = await requireInstaller(application, 'reconciliation:read')
  const { pool } = backOfficeRuntime()
  const file = z.uuid().safeParse(fileId).success ? await readStatement(pool, actor.applicationId, fileId) : undefined
  if (!file) notFound()
  const [t, locale] = await Promise.all([getT(), readLocale()])
  const isWorking = file.state === 'checking' || file.state === 'importing'
  return (
    <PageContent words={['statements.', 'close.', 'change.']}>
      <PageHeader
        title={walletText(t, file.wallet)}
        lead={
          <>
            <span className="wrap-anywhere">{file.fileName}</span> <StatementState t={t} state={file.state} />
          </>
        }
        actions={<ButtonLink href={paths.statements(application)}>{t('statements.toList')}</ButtonLink>}
      />
      {file.state === 'unmapped' && file.problem?.sample && (
        <UnmappedStatement t={t} locale={locale} application={application} actor={actor} file={file} sample={file.problem.sample} />
      )}
      <div className="mt-4 grid max-w-2xl gap-4">
        {isWorking && <Notice>{t(file.state === 'checking' ? 'statements.isChecking' : 'statements.isImporting')}</Notice>}
        {file.problem && file.state !== 'unmapped' && <Notice tone="bad">{statementProblemText(t, file.problem)}</Notice>}
        {file.format !== null && <Counts t={t} locale={locale} application={application} file={file} />}
        {file.state === 'ready' && can(actor.roles, 'reconciliation:work') && (
          <DecideStatement application={application} fileId={file.fileId} newLines={formatCount(file.lines - file.known, locale)} />
        )}
        {file.state === 'imported' && file.lastDay !== null && (
          <p>
            <ButtonLink href={paths.closeDay(application, file.wallet, file.lastDay)}>{t('statements.toDay')}</ButtonLink>
          </p>
        )}
      </div>
      <RefreshWhile isOn={isWorking} />
    </PageContent>
  )
}

type UnmappedProps = {
  t: Translate
  locale: Locale
  application: string
  actor: Awaited<ReturnType<typeof requireInstaller>>
  file: StatementFileDto
  sample: readonly (readonly string[])[]
}

/** A table whose header no format has: one person says what its columns are, another confirms it. */
async function UnmappedStatement({ t, locale, application, actor, file, sample }: UnmappedProps) {
  const { pool } = backOfficeRuntime()
  const { applicationId } = actor
  const [{ changes }, wallet] = await Promise.all([
    listChanges(pool, { applicationId, kinds: ['statement.columns'], actor }),
    readWallet(pool, applicationId, file.wallet),
  ])
  const own = changes.filter(({ subject }) => subject.startsWith(`${file.wallet} `))
  return (
    <div className="mt-4 grid gap-4">
      <Notice tone="wait">{t('statements.isUnmapped')}</Notice>
      <ChangeList t={t} locale={locale} application={application} changes={own} />
      {can(actor.roles, 'wallet:change') && (
        <MapColumns application={application} fileId={file.fileId} wallet={file.wallet} zone={wallet?.zone ?? 'UTC'} sample={sample} />
      )}
      {can(actor.roles, 'reconciliation:work') && <WithdrawStatement application={application} fileId={file.fileId} />}
    </div>
  )
}

type CountsProps = { t: Translate; locale: Locale; application: string; file: StatementFileDto }

function Counts({ t, locale, application, file }: CountsProps) {
  const operator = findWallet(file.wallet)?.operator
  const currency: Currency = operator ? OPERATORS[operator].country.currency : 'XAF'
  const count = (value: number) => <span className="tabular">{formatCount(value, locale)}</span>
  const money = (amount: string | null) => (amount === null ? t('statements.notPrinted') : <Money amount={amount} currency={currency} />)
  return (
    <Card>
      <Facts
        nameClass="w-40"
        facts={[
          { name: t('statements.format'), value: t(`statements.format.${formatKey(file.format)}`) },
          { name: t('statements.accounts'), value: file.accounts.join(', ') || t('statements.notPrinted') },
          { name: t('statements.period'), value: statementPeriod(t, file) },
          { name: t('statements.lines'), value: count(file.lines) },
          { name: t('statements.newLines'), value: count(file.lines - file.known) },
          { name: t('statements.known'), value: count(file.known) },
          { name: t('statements.failed'), value: count(file.failed) },
          {
            name: t('statements.bad'),
            value: (
              <>
                {count(file.bad)}
                {file.bad > 0 && (
                  <>
                    {' · '}
                    <a href={paths.data(application, `statements/${file.fileId}/bad-rows`)} download className="text-accent underline">
                      {t('statements.downloadBad')}
                    </a>
                  </>
                )}
              </>
            ),
          },
          { name: t('statements.in'), value: money(file.in) },
          { name: t('statements.out'), value: money(file.out) },
          { name: t('statements.opening'), value: money(file.opening) },
          { name: t('statements.closing'), value: money(file.closing) },
          {
            name: t('statements.uploaded'),
            value: (
              <>
                <TimeText at={file.uploadedAt} /> · {file.uploadedBy ?? t('statements.fetched')}
              </>
            ),
          },
        ]}
      />
    </Card>
  )
}

const FORMATS = ['mtn', 'wave', 'orange-cm', 'orange-bf', 'moov', 'airtel', 'mapped'] as const

function formatKey(format: string | null): (typeof FORMATS)[number] {
  return FORMATS.find((each) => each === format) ?? 'mtn'
}
