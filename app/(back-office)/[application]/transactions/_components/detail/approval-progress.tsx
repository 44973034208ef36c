import { RelativeTime, TimeText } from '#components/domain/time-text.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { useT } from '#components/ui/translations.tsx'
import { deciderText } from '#lib/approvals/evidence.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import type { ApprovalDto, TransactionDetailDto } from '#lib/payments/transactions/transaction-dto.ts'
import { Section } from './timeline.tsx'

/** Why the transaction needed approval, its progress, and each decision with its note. Renders nothing if it needed none. */
export function ApprovalProgress({
  application,
  detail: { approval, decisions, status },
}: {
  application: string
  detail: TransactionDetailDto
}) {
  const t = useT()
  if (approval === null && decisions.length === 0) return null
  return (
    <Section title={t('transaction.approval')}>
      {approval && (
        <p>
          <strong className="tabular">{t('transaction.approvalsOf', { done: approval.done, needed: approval.needed })}</strong>{' '}
          <span className="text-ink-2">{ruleText(t, approval)}</span>{' '}
          {approval.needsCode && <span className="text-ink-2">{t('transaction.needsCode')}</span>}
        </p>
      )}
      {approval && status === 'PENDING_APPROVAL' && (
        <p className="text-ink-2">
          {t('transaction.expires')} <RelativeTime at={approval.expiresAt} />
        </p>
      )}
      {decisions.length > 0 && (
        <ul className="mt-2 grid gap-2">
          {decisions.map((decision) => (
            <li key={decision.checkerName + decision.at}>
              <span dir="auto" className="font-strong">
                {deciderText(t, decision)}
              </span>{' '}
              {t(decision.counts ? `transaction.decision.${decision.decision}` : 'transaction.decision.notCounted')}{' '}
              <TimeText at={decision.at} className="text-second text-quiet" />
              <span className="block text-ink-2">{t('transaction.quoted', { text: decision.note })}</span>
            </li>
          ))}
        </ul>
      )}
      {status === 'PENDING_APPROVAL' && (
        <div className="no-print mt-3">
          <ButtonLink href={paths.approvals(application)}>{t('transaction.toApprovals')}</ButtonLink>
        </div>
      )}
    </Section>
  )
}

function ruleText(t: Translate, { ruleName, policyVersion: version }: ApprovalDto): string {
  return ruleName === null ? t('transaction.baseRule', { version }) : t('transaction.rule', { name: ruleName, version })
}
