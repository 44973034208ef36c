'use client'

import { TimeText } from '#components/domain/time-text.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { TransactionDetailDto } from '#lib/transaction-detail.ts'
import { OperatorCalls } from './operator-calls.tsx'
import { Section } from './section.tsx'
import { WebhookSection } from './webhook-section.tsx'

type CallsProps = { application: string; detail: TransactionDetailDto; canResend: boolean }

/** Every call to and from the operator, and every webhook attempt. */
export function Calls({ application, detail, canResend }: CallsProps) {
  const { attempts, webhook, removedBefore, transactionId } = detail
  return (
    <>
      {attempts.length > 0 && <OperatorCalls attempts={attempts} />}
      {removedBefore.calls && <Removed of="operatorCalls" before={removedBefore.calls} isAll={attempts.length === 0} />}
      {webhook && <WebhookSection application={application} transactionId={transactionId} webhook={webhook} canResend={canResend} />}
      {removedBefore.webhook && <Removed of="webhook" before={removedBefore.webhook} isAll={!webhook} />}
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
