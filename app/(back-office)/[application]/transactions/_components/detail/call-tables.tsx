'use client'

import { useState } from 'react'
import { RelativeTime, TimeText } from '#components/domain/time-text.tsx'
import { Button } from '#components/ui/button.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { TransactionDetailDto, WebhookDto } from '#lib/transaction-detail.ts'
import { Section, WideTable } from './section.tsx'
import { useWebhookWords } from './use-webhook-words.ts'

/** A transaction that is queried for days has a table longer than the rest of the page. Then only the latest calls are shown at first. */
const CALLS_MAX = 12
const LATEST_CALLS = 10

/** An attempt that began this much after it was due is marked: its receiver let others time out first. */
const LATE_MS = 10_000

/** Every call to and from the operator with its raw answer, and every webhook attempt. */
export function CallTables({ detail }: { detail: TransactionDetailDto }) {
  return (
    <>
      {detail.attempts.length > 0 && <OperatorCalls attempts={detail.attempts} />}
      {detail.removedBefore.calls && (
        <Removed of="operatorCalls" before={detail.removedBefore.calls} isAll={detail.attempts.length === 0} />
      )}
      {detail.webhook && <WebhookAttempts webhook={detail.webhook} />}
      {detail.removedBefore.webhook && <Removed of="webhook" before={detail.removedBefore.webhook} isAll={!detail.webhook} />}
    </>
  )
}

/** Says that older rows were removed, as opposed to that there were none. */
function Removed({ of, before, isAll }: { of: 'operatorCalls' | 'webhook'; before: string; isAll: boolean }) {
  const t = useT()
  const words = (
    <p className="text-ink-2">
      {t(`transaction.removed.${of}`)} <TimeText at={before} style="full" />.
    </p>
  )
  return isAll ? <Section title={t(`transaction.${of}`)}>{words}</Section> : words
}

function OperatorCalls({ attempts }: { attempts: TransactionDetailDto['attempts'] }) {
  const t = useT()
  const [isAllShown, setIsAllShown] = useState(false)
  const isLong = attempts.length > CALLS_MAX
  const shown = isLong && !isAllShown ? attempts.slice(-LATEST_CALLS) : attempts
  const head = (
    <>
      <Th>{t('transaction.number')}</Th>
      <Th>{t('transaction.time')}</Th>
      <Th>{t('transaction.callKind')}</Th>
      <Th>{t('transaction.result')}</Th>
      <Th align="end">{t('transaction.http')}</Th>
      <Th align="end">{t('transaction.duration')}</Th>
      <Th>{t('transaction.answer')}</Th>
    </>
  )
  return (
    <Section title={t('transaction.operatorCalls')}>
      <WideTable label={t('transaction.operatorCalls')}>
        <Table caption={t('transaction.operatorCalls')} head={head}>
          {shown.map((attempt) => (
            <Tr key={attempt.number}>
              <Td>{attempt.number}</Td>
              <Td>
                <TimeText at={attempt.startedAt} style="full" />
              </Td>
              <Td className="whitespace-nowrap">{t(`transaction.call.${attempt.kind}`)}</Td>
              <Td className="whitespace-nowrap">
                {attempt.outcome === null ? t('transaction.awaiting') : t(`transaction.outcome.${attempt.outcome}`)}
              </Td>
              <Td align="end">{attempt.httpStatus}</Td>
              <Td align="end" className="whitespace-nowrap">
                {attempt.durationMs === null ? null : t('transaction.milliseconds', { count: attempt.durationMs })}
              </Td>
              <Td className="min-w-64 text-second print:min-w-0">
                <code lang="fr" className="break-all">
                  {attempt.answer}
                </code>
              </Td>
            </Tr>
          ))}
        </Table>
      </WideTable>
      {isLong && (
        <Button size="small" className="no-print mt-2" aria-expanded={isAllShown} onClick={() => setIsAllShown(!isAllShown)}>
          {isAllShown ? t('transaction.latestCalls', { count: LATEST_CALLS }) : t('transaction.allCalls', { count: attempts.length })}
        </Button>
      )}
    </Section>
  )
}

function WebhookAttempts({ webhook }: { webhook: WebhookDto }) {
  const t = useT()
  const wordsOf = useWebhookWords()
  const head = (
    <>
      <Th>{t('transaction.number')}</Th>
      <Th>{t('transaction.time')}</Th>
      <Th>{t('transaction.result')}</Th>
      <Th align="end">{t('transaction.http')}</Th>
      <Th align="end">{t('transaction.duration')}</Th>
      <Th>{t('transaction.technical')}</Th>
    </>
  )
  return (
    <Section title={t('transaction.webhook')}>
      <p className="pb-2 text-ink-2">
        {webhook.isLate ? t('transaction.webhookLate') : t(`transaction.webhookState.${webhook.state}`)}{' '}
        {webhook.nextAt && <RelativeTime at={webhook.nextAt} />}
      </p>
      {webhook.attempts.length > 0 && (
        <WideTable label={t('transaction.webhook')}>
          <Table caption={t('transaction.webhook')} head={head}>
            {webhook.attempts.map((attempt) => (
              <Tr key={attempt.number}>
                <Td>{attempt.number}</Td>
                <Td>
                  <TimeText at={attempt.startedAt} style="full" />
                </Td>
                <Td className="min-w-56 print:min-w-0">
                  {wordsOf(attempt)}
                  {attempt.waitedMs !== null && attempt.waitedMs > LATE_MS && (
                    <span className="block text-second text-quiet">
                      {t('transaction.webhookWaited', { count: Math.round(attempt.waitedMs / 1_000) })}
                    </span>
                  )}
                </Td>
                <Td align="end">{attempt.httpStatus}</Td>
                <Td align="end" className="whitespace-nowrap">
                  {t('transaction.milliseconds', { count: attempt.durationMs })}
                </Td>
                <Td className="text-second break-words text-quiet">{attempt.detail}</Td>
              </Tr>
            ))}
          </Table>
        </WideTable>
      )}
    </Section>
  )
}
