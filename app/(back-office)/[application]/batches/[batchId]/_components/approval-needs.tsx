import type { BatchDto } from '#lib/batch-dto.ts'
import type { Translate } from '#lib/i18n/translate.ts'

/** How many checkers the rules require, and who they can be. */
export function ApprovalNeeds({ batch, t }: { batch: BatchDto; t: Translate }) {
  return (
    <div className="grid gap-1">
      {batch.approvals.map((need) => (
        <p key={`${need.rules.join()}${need.currencies.join()}`}>
          {t('batches.approvals', { count: need.steps.reduce((sum, step) => sum + step, 0) })}
          {need.needsCode && ` ${t('batches.approvalsCode')}`}{' '}
          <span className="text-quiet">
            {batch.approvals.length > 1 && `${need.currencies.join(', ')} · `}
            {need.rules.join(' · ')}
          </span>
        </p>
      ))}
      <p className={batch.checkers.length === 0 ? 'text-bad' : 'text-second text-quiet'}>
        {batch.checkers.length === 0 ? t('batches.noCheckers') : t('batches.checkers', { names: batch.checkers.join(', ') })}
      </p>
    </div>
  )
}
