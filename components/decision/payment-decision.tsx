import { useState } from 'react'
import { useAction } from '#components/form/use-action.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { useT, useTranslations } from '#components/ui/translations.tsx'
import type { DecidedItem, DecisionRefusal, DecisionResult, RecallObstacle } from '#lib/approvals/approvals.ts'
import { paths } from '#lib/pages/paths.ts'
import type { ProofAnswer } from '#lib/people/passkeys.ts'
import type { ActionResult } from '#lib/result.ts'
import { formatCount } from '#lib/text/format.ts'
import { DECISION_REFUSALS, DecisionForm } from './decision-form.tsx'
import { rememberNote, useKeptNote } from './decision-note.tsx'
import { type DecisionActions, type Intent, sumItems, sumsText } from './decision-text.tsx'

const REFUSALS = {
  ...DECISION_REFUSALS,
  not_the_maker: 'approvals.recall.not_the_maker',
  not_waiting: 'approvals.recall.not_waiting',
} as const
const VERBS = { validated: 'approvals.validate', rejected: 'approvals.reject', recall: 'approvals.recall.submit' } as const

type Props = {
  application: string
  intent: Intent
  items: readonly DecidedItem[]
  actions: DecisionActions
  askedAt: number
  /** Who ended it meanwhile, in words: nothing can be sent any longer. */
  ended?: string | null
  onIntent: (intent: Intent | null) => void
  onDraft?: () => void
  /** Once, with one result for each item; none for a recall. */
  onDone: (results: readonly DecisionResult[], items: readonly DecidedItem[]) => void
}

/** The decision about one transaction or a selection. Items that this person has no device for can be left out. */
export function PaymentDecision({ application, intent, actions, onDone, ...props }: Props) {
  const { t, locale } = useTranslations()
  const [leftOut, setLeftOut] = useState<readonly DecidedItem[]>([])
  const [hasFactor, setHasFactor] = useState(true)
  const items = props.items.filter((item) => !leftOut.includes(item))
  const kept = useKeptNote(props.items.length === 1 ? props.items[0]?.transactionId : undefined, intent)
  const action = useAction(
    async (note: string, proof: ProofAnswer | null): Promise<ActionResult<DecisionResult[], DecisionRefusal | RecallObstacle>> => {
      if (intent !== 'recall') {
        const list = items.map(({ transactionId, contentHash }) => ({ transactionId, contentHash }))
        return actions.decide(application, { decision: intent, note, items: list, ...(proof && { proof }) })
      }
      const recalled = await actions.recall(application, { transactionId: items[0]?.transactionId, reason: note })
      return recalled.ok ? { ok: true, value: [] } : recalled
    },
    {
      words: REFUSALS,
      onDone(results, [note]) {
        rememberNote(intent, note)
        kept.forget()
        onDone(results, items)
      },
      onRefused: (code) => setHasFactor((had) => had && code !== 'second_factor_missing'),
    },
  )
  const codeless = items.filter((item) => isCodeless(item, intent, hasFactor))
  const isOne = items.length === 1
  const count = formatCount(items.length, locale)
  return (
    <DecisionForm
      {...props}
      intent={intent}
      action={action}
      kept={kept}
      subject={items.map(({ transactionId, contentHash }) => `${transactionId} ${contentHash}`).join()}
      verb={t(VERBS[intent])}
      amount={isOne ? '' : `${count} · ${sumsText(sumItems(items), locale)}`}
      rejectLabel={isOne ? t('approvals.reject') : `${t('approvals.reject')} ${count}`}
      codeCount={intent === 'validated' && codeless.length === 0 && items.some((item) => item.needsCode) ? items.length : 0}
      notice={
        codeless.length > 0 && (
          <WithoutFactor
            application={application}
            count={codeless.length}
            onLeaveOut={
              codeless.length === items.length
                ? undefined
                : () => {
                    action.setError(null)
                    setLeftOut(codeless)
                  }
            }
          />
        )
      }
    />
  )
}

/** Whether this person cannot validate an item without a second factor. */
function isCodeless(item: DecidedItem, intent: Intent, hasFactor: boolean): boolean {
  return intent === 'validated' && (item.canApprove === 'second_factor_missing' || (item.needsCode && !hasFactor))
}

/** Some of the list require a code that this person has no device for: where to set one up, and how to go on without them. */
function WithoutFactor({ application, count, onLeaveOut }: { application: string; count: number; onLeaveOut: (() => void) | undefined }) {
  const t = useT()
  return (
    <Notice tone="wait">
      {t('approvals.code.missing', { count })}{' '}
      <a href={paths.enrol(paths.approvals(application))} className="underline">
        {t('approvals.code.enrol')}
      </a>
      {onLeaveOut && (
        <>
          {' · '}
          <button type="button" onClick={onLeaveOut} className="underline">
            {t('approvals.code.leaveOut', { count })}
          </button>
        </>
      )}
    </Notice>
  )
}
