'use client'

import { useQuery } from '@tanstack/react-query'
import { BatchEnds } from '#components/decision/batch-ends.tsx'
import { BatchStageBadge } from '#components/domain/batch-stage.tsx'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { ButtonLink, buttonClass } from '#components/ui/button.tsx'
import { Badge, ProgressBar } from '#components/ui/display/badge.tsx'
import { Card } from '#components/ui/display/card.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { type Column, ListTable } from '#components/ui/display/table.tsx'
import { KeepFocus } from '#components/ui/keep-focus.tsx'
import { Link } from '#components/ui/link.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { type BatchRowPlace, type BatchRunDto, type BatchRunOperator, type LeftOutRows, problemText } from '#lib/batches/batches.ts'
import { paths, type QueryValues } from '#lib/pages/paths.ts'
import { queries } from '#lib/pages/queries.ts'
import { formatCount } from '#lib/text/format.ts'
import { formatTime } from '#lib/time/format-time.ts'
import { RunControls } from './run-controls.tsx'

const NOT_PAID = ['failed', 'rejected', 'recalled', 'expired', 'stopped'] as const
/** Places that are shown together: what is open, and how it ended. */
const COLUMNS: readonly { key: 'waiting' | 'open' | 'sent' | 'succeeded' | 'ended'; places: readonly BatchRowPlace[] }[] = [
  { key: 'waiting', places: ['waiting'] },
  { key: 'open', places: ['queued', 'paused'] },
  { key: 'sent', places: ['sent'] },
  { key: 'succeeded', places: ['succeeded'] },
  { key: 'ended', places: NOT_PAID },
]

type Props = { application: string; first: BatchRunDto; namesEnds: boolean }

/** The progress of a batch by operator, live, with its controls. */
export function RunBoard({ application, first, namesEnds }: Props) {
  const { t } = useTranslations()
  const { batchId } = first
  const { data: run } = useQuery({ ...queries.batchRun(application, batchId), initialData: first })
  return (
    <KeepFocus>
      <Card className="mt-4 grid min-w-0 gap-4">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <h2 className="flex items-center gap-2">
            {t('batch.run.title')}
            {run.state === 'paused' || run.state === 'stopped' ? (
              <Badge tone={run.state === 'paused' ? 'wait' : 'bad'} hasDot>
                {t(`batch.state.${run.state}`)}
              </Badge>
            ) : (
              <BatchStageBadge t={t} batch={run} />
            )}
          </h2>
          <span className="flex flex-wrap gap-2">
            {run.operators.some((one) => one.places.waiting) && (
              <ButtonLink href={paths.batchApproval(application, batchId)}>{t('batch.run.toDecision')}</ButtonLink>
            )}
            <a href={paths.data(application, `batches/${batchId}/results`)} download className={buttonClass()}>
              {t('batch.run.download')}
            </a>
            <ButtonLink href={paths.transactions(application, { batch: batchId })}>{t('batches.openTransactions')}</ButtonLink>
          </span>
        </div>
        {namesEnds && <BatchEnds ends={run.ends} />}
        <ReleaseNotice run={run} />
        {run.changed && !isPlanned(run) && (
          <p className="text-ink-2">
            {t(`batch.run.changed.${run.state === 'paused' || run.state === 'stopped' ? run.state : 'running'}`, { name: run.changed.by })}{' '}
            <TimeText at={run.changed.at} />
            {run.changed.reason && (
              <>
                {' · '}
                <bdi>{run.changed.reason}</bdi>
              </>
            )}
          </p>
        )}
        {run.operators.map((one) => (
          <Progress application={application} batchId={batchId} key={one.operator} one={one} />
        ))}
        <OperatorTable application={application} batchId={batchId} operators={run.operators} />
        <Family application={application} run={run} />
        <UnsubmittedNotice run={run} />
        <LeftOutNotice application={application} leftOut={run.withheld} />
        <RunControls application={application} run={run} />
      </Card>
    </KeepFocus>
  )
}

/** Whether it waits for a time that its maker or somebody else chose. */
function isPlanned({ release }: BatchRunDto): boolean {
  return release !== null && release.releasedAt === null
}

/** When it is sent, or was, and that this was late. */
function ReleaseNotice({ run: { release, state } }: { run: BatchRunDto }) {
  const { t, timeZone } = useTranslations()
  if (!release || state === 'stopped') return null
  const full = (at: string) => formatTime(t, timeZone, new Date(at), 'full')
  if (release.releasedAt === null) {
    return (
      <Notice tone="wait">{t(state === 'waiting' ? 'batch.release.ifApproved' : 'batch.release.planned', { at: full(release.at) })}</Notice>
    )
  }
  const values = { at: full(release.at), sent: full(release.releasedAt) }
  return release.isLate ? (
    <Notice tone="wait">{t('batch.release.late', values)}</Notice>
  ) : (
    <p className="text-ink-2">{t('batch.release.sent', values)}</p>
  )
}

function figureOf(one: BatchRunOperator, places: readonly BatchRowPlace[]): number {
  return places.reduce((count, place) => count + (one.places[place]?.count ?? 0), 0)
}

/** How many rows of an operator have ended. */
function Progress({ application, batchId, one }: { application: string; batchId: string; one: BatchRunOperator }) {
  const { t, locale } = useTranslations()
  const [succeeded, notPaid] = [figureOf(one, ['succeeded']), figureOf(one, NOT_PAID)]
  const ended = succeeded + notPaid
  return (
    <div className="grid gap-1">
      <p className="flex flex-wrap justify-between gap-3">
        <OperatorMark code={one.operator} />
        <span className="text-second text-quiet tabular">
          {t('batch.run.ended', { ended: formatCount(ended, locale), total: formatCount(one.total.count, locale) })}
        </span>
      </p>
      <ProgressBar
        label={t('batch.run.progress', { operator: one.operator })}
        value={ended}
        max={one.total.count}
        parts={{ ok: succeeded, bad: notPaid }}
      />
      {one.unconfirmed > 0 && (
        <Link
          href={paths.unconfirmed(application, { kind: 'no_answer', operator: one.operator, batch: batchId })}
          className="py-1 text-second text-wait hover:underline"
        >
          {t('batch.run.unconfirmed', { count: one.unconfirmed })}
        </Link>
      )}
    </div>
  )
}

type TableProps = { application: string; batchId: string; operators: readonly BatchRunOperator[] }

function OperatorTable({ application, batchId, operators }: TableProps) {
  const { t } = useTranslations()
  return (
    <ListTable
      isBare
      isList
      label={t('batch.operators')}
      rows={operators}
      keyOf={({ operator }) => operator}
      columns={[
        { head: t('batch.operator'), cell: ({ operator }) => <OperatorMark code={operator} /> },
        { head: t('batch.amount'), align: 'end', cell: ({ total, currency }) => <Money amount={total.amount} currency={currency} /> },
        ...COLUMNS.map(
          ({ key, places }): Column<BatchRunOperator> => ({
            head: t(`batch.run.column.${key}`),
            align: 'end',
            isLabelled: (one) => places.some((place) => one.places[place]),
            cell: (one) => (
              <Places
                places={places}
                one={one}
                hrefOf={(rows) => paths.transactions(application, { batch: batchId, operator: one.operator, ...rows })}
              />
            ),
          }),
        ),
      ]}
    />
  )
}

type PlacesProps = { places: readonly BatchRowPlace[]; one: BatchRunOperator; hrefOf: (rows: QueryValues) => string }

/** How many rows of an operator are in these places, and how much that is; each opens its rows. */
function Places({ places, one, hrefOf }: PlacesProps) {
  const { t, locale } = useTranslations()
  return places.map((place) => {
    const figure = one.places[place]
    if (!figure) return null
    const rows = rowsOf(place, one)
    const text = (
      <>
        {formatCount(figure.count, locale)} · <Money amount={figure.amount} currency={one.currency} />
      </>
    )
    return (
      <span key={place} className="block whitespace-nowrap @max-[560px]/card:inline">
        {places.length > 1 && <span className="text-second text-quiet">{t(`batch.place.${place}`)} </span>}
        {rows ? (
          <Link href={hrefOf(rows)} className="underline decoration-line-strong underline-offset-2 hover:decoration-current">
            {text}
          </Link>
        ) : (
          text
        )}{' '}
      </span>
    )
  })
}

const OPEN = ['queued', 'paused', 'sent'] as const

/** The filter of the list that holds exactly the rows in a place; undefined where a list cannot tell them from others that are open too. */
function rowsOf(place: BatchRowPlace, one: BatchRunOperator): QueryValues | undefined {
  switch (place) {
    case 'waiting':
      return { status: 'PENDING_APPROVAL' }
    case 'succeeded':
      return { status: 'SUCCESS' }
    case 'queued':
    case 'paused':
    case 'sent':
      return OPEN.some((other) => other !== place && one.places[other]) ? undefined : { status: 'PENDING' }
    default:
      return { ended: place }
  }
}

/** Who decided, the batch that this one repeats, and those that repeat it. */
function Family({ application, run }: { application: string; run: BatchRunDto }) {
  const { t } = useTranslations()
  const { decisions, parent, retries } = run
  if (decisions.length + retries.length === 0 && !parent) return null
  return (
    <ul className="grid gap-1 text-ink-2">
      {decisions.map((one) => (
        <li key={`${one.checkerName} ${one.decision} ${one.at}`}>
          {t(one.decision === 'validated' ? 'batch.validatedBy' : 'batch.rejectedBy', { name: one.checkerName, count: one.count })}{' '}
          <TimeText at={one.at} />
        </li>
      ))}
      {parent && (
        <li>
          {t('batch.run.repeats')}{' '}
          <Link href={paths.batch(application, parent.batchId)} className="text-accent underline">
            <bdi>{parent.name}</bdi>
          </Link>
        </li>
      )}
      {retries.map((retry) => (
        <li key={retry.batchId}>
          {t('batch.run.repeatedBy', { count: retry.rows })}{' '}
          <Link href={paths.batch(application, retry.batchId)} className="text-accent underline">
            <bdi>{retry.name}</bdi>
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** Rows of the file that were not submitted, with the reason of each: nobody is paid by them. */
function UnsubmittedNotice({ run: { operators, unsubmitted } }: { run: BatchRunDto }) {
  const words = useTranslations()
  const { t, locale } = words
  const { count, rows } = unsubmitted
  if (count === 0) return null
  const submitted = operators.reduce((total, one) => total + one.total.count, 0)
  return (
    <Notice tone="wait">
      <p className="font-strong">
        {t('batch.unsubmitted', { submitted: formatCount(submitted, locale), total: formatCount(submitted + count, locale), count })}
      </p>
      <ul className="mt-1 grid gap-0.5">
        {rows.map(({ rowNumber, name, exclusion, problems }) => (
          <li key={rowNumber} className="wrap-anywhere">
            {t('batch.unsubmitted.row', { row: rowNumber })} {name && <bdi>{name}</bdi>}
            {exclusion !== null && ` · ${t('batches.excludedBecause', { reason: exclusion })}`}
            {exclusion === null && problems.map((problem) => ` · ${problemText(words, problem)}`)}
          </li>
        ))}
        {count > rows.length && <li>{t('batch.leftOut.more', { count: count - rows.length })}</li>}
      </ul>
    </Notice>
  )
}

/** Failed rows that are not paid again, each with a link and the reason. Renders nothing if there are none. */
export function LeftOutNotice({ application, leftOut: { count, rows } }: { application: string; leftOut: LeftOutRows }) {
  const { t } = useTranslations()
  if (count === 0) return null
  return (
    <Notice tone="bad">
      <p className="font-strong">{t('batch.leftOut', { count })}</p>
      <ul className="mt-1 grid gap-0.5">
        {rows.map(({ transactionId, customerName, reason }) => (
          <li key={transactionId}>
            <Link href={paths.transaction(application, transactionId)} className="underline">
              <bdi>{customerName}</bdi>
            </Link>{' '}
            · {t(`batch.leftOut.${reason}`)}
          </li>
        ))}
        {count > rows.length && <li>{t('batch.leftOut.more', { count: count - rows.length })}</li>}
      </ul>
    </Notice>
  )
}
