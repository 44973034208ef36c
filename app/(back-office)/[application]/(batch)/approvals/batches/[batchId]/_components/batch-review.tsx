'use client'

import { useEffect, useRef, useState } from 'react'
import { BatchEnds } from '#components/decision/batch-ends.tsx'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { Button, ButtonLink } from '#components/ui/button.tsx'
import { Badge } from '#components/ui/display/badge.tsx'
import { Card } from '#components/ui/display/card.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import { KeepFocus } from '#components/ui/keep-focus.tsx'
import { Link } from '#components/ui/link.tsx'
import { useT, useTranslations } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import type { BatchApproval, BatchDifference } from '#lib/approvals/batch-approval.ts'
import { deciderText } from '#lib/approvals/evidence.ts'
import { paths } from '#lib/pages/paths.ts'
import { formatCount, moneyText } from '#lib/text/format.ts'
import { formatTime } from '#lib/time/format-time.ts'
import { type Asked, BatchDecision } from './batch-decision.tsx'
import { BatchRows } from './batch-rows.tsx'
import { type BatchProps, type Exclusions, sumsWithout, useBatch, useExclusions } from './use-batch.ts'

/** A batch for the person who decides: what it is, its rows, and the decision about all of them. */
export function BatchReview(props: BatchProps) {
  const t = useT()
  const router = useRouter()
  const { application } = props
  const { batch, refresh } = useBatch(props)
  const exclusions = useExclusions(props.batchId)
  const [difference, setDifference] = useState<BatchDifference | null>(null)
  const [done, setDone] = useState<string | null>(null)
  // The decision is about the batch as it was when the form opened, even if it changes while somebody writes.
  const [asked, setAsked] = useState<Asked | null>(null)
  const isWaiting = (batch?.count ?? 0) > 0
  const wasWaiting = useRef(isWaiting)
  useEffect(() => {
    // The progress below is rendered on the server once no row waits.
    if (wasWaiting.current && !isWaiting) router.refresh()
    wasWaiting.current = isWaiting
  }, [isWaiting, router])
  if (!batch) return null
  const shown = isWaiting ? batch : asked?.batch
  return (
    <KeepFocus className="grid min-w-0 gap-4">
      <PageHeader
        title={batch.name ?? t('batch.unnamed')}
        lead={
          <>
            {t('batch.madeBy', { name: batch.maker.name })} <TimeText at={batch.createdAt} />
            {isWaiting && (
              <>
                {' · '}
                {t('batch.expires')} <TimeText at={batch.expiresAt} />
              </>
            )}
          </>
        }
        actions={<ButtonLink href={paths.approvals(application)}>{t('batch.toQueue')}</ButtonLink>}
      />
      {done && <Notice tone="ok">{done}</Notice>}
      {!isWaiting && !done && <BatchEnds ends={batch.ends} />}
      {!isWaiting && !done && <LeftOutBefore exclusions={exclusions} />}
      {difference && <BatchDifferenceNotice difference={difference} application={application} />}
      {shown && (
        <div className="grid min-w-0 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_320px] lg:grid-rows-[auto_1fr]">
          <BatchFacts batch={shown} exclusions={exclusions} />
          {/* On a phone between the figures and the rows, which may be many; beside both where there is room. */}
          <div className="lg:col-start-2 lg:row-span-2 lg:row-start-1 lg:sticky lg:top-4">
            <BatchDecision
              {...props}
              batch={shown}
              exclusions={exclusions}
              asked={asked}
              ended={!isWaiting}
              onAsk={setAsked}
              onDone={(text) => {
                setDone(text)
                setDifference(null)
                // Undone, the batch is as it was, with the rows that were left out.
                if (text !== null) exclusions.clear()
                refresh()
                router.refresh()
              }}
              onChanged={(what) => {
                setDifference(what)
                setDone(null)
                refresh()
              }}
            />
          </div>
          {isWaiting && <BatchRows application={application} batch={batch} exclusions={exclusions} />}
        </div>
      )}
    </KeepFocus>
  )
}

/** The rows that this person had left out, and a reason still being typed, when somebody else ended the batch: they may still need them. */
function LeftOutBefore({ exclusions: { excluded, typed, clear } }: { exclusions: Exclusions }) {
  const { t, locale } = useTranslations()
  const rows = [...excluded.values(), ...[...typed.values()].filter(({ reason }) => reason.trim() !== '')]
  if (rows.length === 0) return null
  return (
    <Notice tone="wait">
      <p className="font-strong">{t('batch.leftOutBefore')}</p>
      <ul className="mt-1 grid gap-0.5">
        {rows.map((row) => (
          <li key={row.transactionId} className="wrap-anywhere">
            <bdi>{row.customerName}</bdi> · {moneyText(row, locale)} · <bdi>{row.reason}</bdi>
          </li>
        ))}
      </ul>
      <Button size="small" className="mt-2" onClick={clear}>
        {t('ui.dismiss')}
      </Button>
    </Notice>
  )
}

/** Changes to the batch since it was shown, which stopped the decision. */
function BatchDifferenceNotice({ difference, application }: { difference: BatchDifference; application: string }) {
  const { t, timeZone } = useTranslations()
  const at = (instant: string) => formatTime(t, timeZone, new Date(instant), 'day-time')
  return (
    <section role="alert" className="grid gap-1.5 rounded-md bg-wait-soft px-3 py-2 text-wait">
      <p className="font-strong">{t('batch.changed.title')}</p>
      <ul className="grid gap-1">
        {difference.decisions.map((one) => (
          <li key={`${one.checkerName} ${one.at}`}>
            {t(one.counts ? `batch.changed.${one.decision}` : 'batch.changed.gone', { name: deciderText(t, one), at: at(one.at) })}
          </li>
        ))}
        {difference.moved.map((row) => (
          <li key={row.transactionId}>
            <Link href={paths.transaction(application, row.transactionId)} className="underline">
              <bdi>{row.customerName}</bdi>
            </Link>
            {': '}
            {t('batch.changed.moved', {
              by: row.by === null ? t('batch.changed.system') : deciderText(t, { ...row, checkerName: row.by }),
              at: at(row.at),
            })}
          </li>
        ))}
      </ul>
      {difference.movedCount > difference.moved.length && (
        <p>{t('batch.changed.more', { count: difference.movedCount - difference.moved.length })}</p>
      )}
    </section>
  )
}

/** Count, sums and flags first; then what it needs, and what it costs at each operator. */
function BatchFacts({ batch, exclusions }: { batch: BatchApproval; exclusions: Exclusions }) {
  const { t, locale, timeZone } = useTranslations()
  const { flags, decisions } = batch
  const left = exclusions.excluded.size
  return (
    <Card className="grid min-w-0 gap-4">
      <div className="flex flex-wrap gap-x-8 gap-y-3">
        <p>
          <span className="block text-second text-quiet">{t('batch.waitingRows')}</span>
          <span className="text-balance font-strong tabular">{formatCount(batch.count - left, locale)}</span>
          {left > 0 && <span className="block text-second text-quiet">{t('batch.withoutExcluded', { count: left })}</span>}
        </p>
        {sumsWithout(batch, exclusions).map((sum) => (
          <p key={sum.currency}>
            <span className="block text-second text-quiet">{t('batch.sum')}</span>
            <Money amount={sum.amount} currency={sum.currency} size="balance" />
          </p>
        ))}
      </div>
      <ul aria-label={t('batch.flags')} className="flex flex-wrap gap-1.5 empty:hidden">
        {(['flagged', 'duplicate', 'first', 'large'] as const)
          .filter((flag) => flags[flag] > 0)
          .map((flag) => (
            <li key={flag}>
              <Badge tone="wait" hasDot>
                {t(`batch.count.${flag}`, { count: flags[flag] })}
              </Badge>
            </li>
          ))}
      </ul>
      {batch.releaseAt && (
        <Notice tone="wait">{t('batch.release.approving', { at: formatTime(t, timeZone, new Date(batch.releaseAt), 'full') })}</Notice>
      )}
      <div className="grid gap-1 text-ink-2">
        <p>
          {batch.isDefaultRule ? t('batch.defaultRule') : batch.ruleNames.join(' · ')}
          {' · '}
          {t('approvals.progress', { given: batch.given, needed: batch.needed })}
        </p>
        <p className="text-second">
          {batch.deciders.length > 0 ? t('batch.deciders', { names: batch.deciders.join(', ') }) : t('batch.decidersNone')}
        </p>
        {decisions.map((one) => (
          <p key={`${one.checkerId} ${one.at}`} className="text-second">
            {t(one.decision === 'validated' ? 'batch.validatedBy' : 'batch.rejectedBy', { name: deciderText(t, one), count: one.count })}{' '}
            <TimeText at={one.at} />
            {!one.counts && ` · ${t('batch.countsNot')}`}
          </p>
        ))}
      </div>
      {left > 0 && <p className="text-second text-quiet">{t('batch.operatorsWithExcluded')}</p>}
      <Operators batch={batch} />
    </Card>
  )
}

function Operators({ batch }: { batch: BatchApproval }) {
  const { t, locale } = useTranslations()
  return (
    <ListTable
      isBare
      isList
      label={t('batch.operators')}
      rows={batch.operators}
      keyOf={({ operator }) => operator}
      columns={[
        { head: t('batch.operator'), cell: ({ operator }) => <OperatorMark code={operator} /> },
        { head: t('batch.rows'), align: 'end', isLabelled: true, cell: ({ count }) => formatCount(count, locale) },
        { head: t('batch.amount'), align: 'end', cell: ({ amount, currency }) => <Money amount={amount} currency={currency} /> },
        {
          head: t('batch.fees'),
          align: 'end',
          isLabelled: true,
          cell: ({ fees, currency }) => <Money amount={fees} currency={currency} />,
        },
        {
          head: t('batch.balanceAfter'),
          align: 'end',
          isLabelled: true,
          cell: ({ balance, currency }) =>
            balance && (
              <span className={balance.after.startsWith('-') ? 'font-strong text-bad' : ''}>
                <Money amount={balance.after} currency={currency} />
              </span>
            ),
        },
      ]}
    />
  )
}
