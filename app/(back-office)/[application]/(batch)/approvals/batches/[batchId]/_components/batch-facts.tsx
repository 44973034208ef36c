'use client'

import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { Badge } from '#components/ui/badge.tsx'
import { Card } from '#components/ui/card.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { TableCard } from '#components/ui/table-card.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { BatchApproval } from '#lib/batch-approval.ts'
import { deciderText } from '#lib/decider.ts'
import { formatCount } from '#lib/format.ts'

/** Count, sums and flags first; then what it needs, and what it costs at each operator. */
export function BatchFacts({ batch }: { batch: BatchApproval }) {
  const { t, locale } = useTranslations()
  const { flags, decisions } = batch
  return (
    <Card className="grid min-w-0 gap-4">
      <div className="flex flex-wrap gap-x-8 gap-y-3">
        <p>
          <span className="block text-second text-quiet">{t('batch.waitingRows')}</span>
          <span className="text-balance font-strong tabular">{formatCount(batch.count, locale)}</span>
        </p>
        {batch.sums.map((sum) => (
          <p key={sum.currency}>
            <span className="block text-second text-quiet">{t('batch.sum')}</span>
            <Money amount={sum.amount} currency={sum.currency} size="balance" />
          </p>
        ))}
      </div>
      <ul aria-label={t('batch.flags')} className="flex flex-wrap gap-1.5">
        {(['flagged', 'duplicate', 'first', 'large'] as const).map((flag) => (
          <li key={flag}>
            <Badge tone={flags[flag] > 0 ? 'wait' : 'neutral'} hasDot={flags[flag] > 0}>
              {t(`batch.count.${flag}`, { count: flags[flag] })}
            </Badge>
          </li>
        ))}
      </ul>
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
      <Operators batch={batch} />
    </Card>
  )
}

function Operators({ batch }: { batch: BatchApproval }) {
  const { t, locale } = useTranslations()
  const head = (
    <>
      <Th>{t('batch.operator')}</Th>
      <Th align="end">{t('batch.rows')}</Th>
      <Th align="end">{t('batch.amount')}</Th>
      <Th align="end">{t('batch.fees')}</Th>
      <Th align="end">{t('batch.balanceAfter')}</Th>
    </>
  )
  return (
    <TableCard isBare label={t('batch.operators')}>
      <Table caption={t('batch.operators')} isList head={head}>
        {batch.operators.map((one) => (
          <Tr key={one.operator}>
            <Td>
              <OperatorMark code={one.operator} />
            </Td>
            <Td align="end" label={t('batch.rows')}>
              {formatCount(one.count, locale)}
            </Td>
            <Td align="end">
              <Money amount={one.amount} currency={one.currency} />
            </Td>
            <Td align="end" label={t('batch.fees')}>
              <Money amount={one.fees} currency={one.currency} />
            </Td>
            <Td align="end" label={t('batch.balanceAfter')}>
              {one.balance && (
                <span className={one.balance.after.startsWith('-') ? 'font-strong text-bad' : ''}>
                  <Money amount={one.balance.after} currency={one.currency} />
                </span>
              )}
            </Td>
          </Tr>
        ))}
      </Table>
    </TableCard>
  )
}
