import { notFound } from 'next/navigation'
import { z } from 'zod'
import { Money } from '#components/domain/money.tsx'
import { RelativeTime, TimeText } from '#components/domain/time-text.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { Card, Facts } from '#components/ui/display/card.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { ADJUSTMENT_CHANGES, REVERSAL_CHANGES } from '#lib/approvals/proposed-change.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { CURRENCIES } from '#lib/money/money.ts'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { isReversible } from '#lib/operators/reversals.ts'
import { paths } from '#lib/pages/paths.ts'
import { TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { can } from '#lib/people/permissions.ts'
import type { ExceptionDetailDto, ExceptionTransactionDto } from '#lib/reconciliation/exceptions.ts'
import { dayText, walletText } from '#lib/reconciliation/wallet-words.ts'
import type { BackOfficeActor } from '#server/back-office/actor.ts'
import { requireInstaller } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listChanges } from '#server/changes/list-changes.ts'
import { listActiveMembers } from '#server/people/person-store.ts'
import { readException } from '#server/reconciliation/exceptions/list-exceptions.ts'
import { findReversal, type StoredReversal } from '#server/reconciliation/reversals/reversal-store.ts'
import { ChangeList } from '../../../_components/changes/change-list.tsx'
import { PageContent, type PageProps, titled } from '../../../_components/page-content.tsx'
import { AdjustButton } from '../../../funding/_components/adjust-button.tsx'
import { ExceptionMark, OverdueMark } from '../_components/exception-marks.tsx'
import { History } from '../_components/history.tsx'
import { Candidates } from './_components/candidates.tsx'
import { ComparedTable, EvidenceLinks } from './_components/evidence.tsx'
import { ExceptionActions } from './_components/exception-actions.tsx'
import { ReverseButton } from './_components/reverse-button.tsx'

export const generateMetadata = titled('exceptions.class')

/** One exception: its evidence, its adjustments, what happened to it, and what this person may do. */
export default async function ExceptionPage({ params }: PageProps<'exceptionId'>) {
  const { application, exceptionId } = await params
  const actor = await requireInstaller(application, 'reconciliation:read')
  const { pool, clock } = backOfficeRuntime()
  const { applicationId } = actor
  const exception = z.uuid().safeParse(exceptionId).success && (await readException(pool, applicationId, exceptionId, clock.now()))
  if (!exception) notFound()
  const [t, locale, members, { changes, isAlone }] = await Promise.all([
    getT(),
    readLocale(),
    listActiveMembers(pool, applicationId),
    listChanges(pool, { applicationId, kinds: [...ADJUSTMENT_CHANGES, ...REVERSAL_CHANGES], actor }),
  ])
  const { transaction, owner } = exception
  const subject = transaction && `${transaction.ledger} ${transaction.transactionId}`
  const operator = OPERATOR_CODES.find((code) => code === transaction?.operator)
  const reversal = transaction && (await findReversal(pool, transaction.ledger, transaction.transactionId))
  const mayMatch = can(actor.roles, 'reconciliation:work')
  const mayReverse = exception.state !== 'closed' && !isAlone && can(actor.roles, 'reversal:decide')
  const mayAdjust = exception.state !== 'closed' && !isAlone && can(actor.roles, 'adjustment:propose')
  return (
    <PageContent words={['close.', 'exceptions.', 'funding.', 'change.', 'status.', 'time.']}>
      <PageHeader
        title={t(`close.class.${exception.class}`)}
        lead={
          <>
            {walletText(t, exception.wallet)}
            {exception.day !== null && ` · ${dayText(t, exception.day)}`}
          </>
        }
        actions={
          <>
            <ButtonLink href={paths.exceptions(application)}>{t('exceptions.toList')}</ButtonLink>
            {mayReverse && transaction && (
              <ReverseButton
                application={application}
                ledger={transaction.ledger}
                transactionId={transaction.transactionId}
                step={nextStep(transaction, reversal)}
              />
            )}
            {mayAdjust && operator && transaction?.isFinal && (
              <AdjustButton
                hasKey
                application={application}
                ledger={transaction.ledger}
                subject={{ transactionId: transaction.transactionId, status: statusOf(transaction.status), operator }}
              />
            )}
          </>
        }
      />
      <div className="mt-4 grid gap-4">
        <Actions t={t} application={application} exception={exception} actor={actor} members={members} />
        <div className="grid items-start gap-4 xl:grid-cols-2">
          <div className="grid gap-4">
            <Summary t={t} exception={exception} />
            <EvidenceLinks t={t} application={application} exception={exception} />
          </div>
          <ComparedTable t={t} exception={exception} />
        </div>
        {exception.state !== 'closed' && <Candidates application={application} exception={exception} mayMatch={mayMatch} />}
        <ChangeList
          t={t}
          locale={locale}
          application={application}
          changes={changes.filter((change) => change.subject === subject)}
          isPage
        />
        <History t={t} events={exception.events} />
        {owner && exception.state !== 'closed' && owner.personId !== actor.id && (
          <p className="text-second text-quiet">{t('exceptions.ownedBy', { name: owner.name })}</p>
        )}
      </div>
    </PageContent>
  )
}

/** The proposal that people can make about a reversal at the operator; null: none. */
function nextStep(
  { operator, type, isFinal }: Pick<ExceptionTransactionDto, 'operator' | 'type' | 'isFinal'>,
  reversal: StoredReversal | null | undefined,
): 'ask' | 'end' | null {
  if (reversal?.waitsForPeople) return 'end'
  const code = OPERATOR_CODES.find((each) => each === operator)
  const direction = TRANSACTION_TYPES.find((each) => each === type)
  const isPossible = isFinal && code !== undefined && direction !== undefined && isReversible(code, direction)
  return isPossible && (!reversal || reversal.state === 'refused') ? 'ask' : null
}

/** An adjustment is offered only of a transaction that has ended. */
function statusOf(status: string): 'SUCCESS' | 'FAILED' {
  return status === 'SUCCESS' ? 'SUCCESS' : 'FAILED'
}

type SummaryProps = { t: Translate; exception: ExceptionDetailDto }

function Summary({ t, exception }: SummaryProps) {
  const { amount, currency, openedAt, dueAt, closedAt, isOverdue, owner } = exception
  return (
    <Card>
      <Facts
        nameClass="w-28"
        facts={[
          { name: t('exceptions.state'), value: <ExceptionMark t={t} exception={exception} /> },
          {
            name: t('exceptions.amount'),
            value: <Money amount={amount} currency={CURRENCIES.find((each) => each === currency) ?? 'XAF'} />,
          },
          { name: t('exceptions.age'), value: <RelativeTime at={openedAt} /> },
          closedAt === null
            ? {
                name: t('exceptions.due'),
                value: (
                  <>
                    <TimeText at={dueAt} /> <OverdueMark t={t} isOverdue={isOverdue} />
                  </>
                ),
              }
            : { name: t('exceptions.state.closed'), value: <TimeText at={closedAt} /> },
          { name: t('exceptions.owner'), value: owner === null ? t('exceptions.filter.nobody') : <bdi>{owner.name}</bdi> },
        ]}
      />
    </Card>
  )
}

/** Classes in which the match itself can be the mistake. */
const UNDOABLE: ReadonlySet<string> = new Set(['success_failed_there', 'paid_failed_here', 'second_payment', 'amount_differs'])

type ActionsProps = {
  t: Translate
  application: string
  exception: ExceptionDetailDto
  actor: BackOfficeActor
  members: Awaited<ReturnType<typeof listActiveMembers>>
}

function Actions({ t, application, exception, actor, members }: ActionsProps) {
  const { exceptionId, state, owner, adjustment, line } = exception
  if (state === 'closed') return null
  const isOwner = owner?.personId === actor.id
  const mayWork = can(actor.roles, 'reconciliation:work')
  const people = members.filter(({ personId, roles }) => personId !== owner?.personId && can(roles, 'reconciliation:work'))
  const mayHandOver = can(actor.roles, 'exception:reassign') || (isOwner && can(actor.roles, 'exception:hand-over'))
  return (
    <div className="grid gap-2">
      <ExceptionActions
        application={application}
        exceptionId={exceptionId}
        may={{ take: mayWork && owner === null, note: mayWork, close: mayWork && isOwner, handOver: mayHandOver && people.length > 0 }}
        people={people.map(({ personId, name }) => ({ personId, name }))}
        canBeAdjusted={adjustment !== null}
        undoable={mayWork && line !== null && UNDOABLE.has(exception.class) ? line.lineId : null}
      />
      {mayWork && owner === null && <p className="text-second text-quiet">{t('exceptions.onlyOwner')}</p>}
    </div>
  )
}
