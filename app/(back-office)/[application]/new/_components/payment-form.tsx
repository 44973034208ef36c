import '#components/form/zod-without-eval.ts'

import { type ReactNode, useEffect, useRef, useState } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { Button } from '#components/ui/button.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import type { DisturbedDirection } from '#lib/operators/operator-outcomes.ts'
import type { PaymentContent } from '#lib/payments/payment-fields.ts'
import { type ActionRefusal, callAction, refusalText } from '#lib/result.ts'
import { keepDraft, sendForApproval } from '../actions.ts'
import { PaymentFields } from './payment-fields.tsx'
import { PaymentPreviewPart } from './payment-preview-part.tsx'
import { forgetKept, usePaymentForm } from './use-payment-form.ts'

const SEND_WORDS = {
  not_permitted: 'action.forbidden',
  application_disabled: 'payment.refused.application_disabled',
  overloaded: 'payment.refused.overloaded',
  service_disabled: 'payment.refused.service_disabled',
  operator_not_in_service: 'payment.refused.operator_not_in_service',
  amount_out_of_limits: 'payment.refused.amount_out_of_limits',
  amount_not_above_fees: 'payment.refused.amount_not_above_fees',
  external_id_taken: 'payment.refused.external_id_taken',
  origin_not_replaceable: 'payment.refused.origin_not_replaceable',
  origin_replaced: 'payment.refused.origin_replaced',
  offline: 'payment.refused.offline',
} as const
type SendCode = keyof typeof SEND_WORDS | ActionRefusal

const DRAFT_WORDS = { too_many: 'payment.refused.tooManyDrafts', offline: 'action.offline' } as const

/** The page as it is now shows what was sent in the meantime. */
const SHOWN_BY_RELOAD: readonly SendCode[] = ['external_id_taken', 'origin_replaced', 'origin_not_replaceable']

type Props = {
  application: string
  personId: string
  externalId: string
  originId: string | null
  initial: PaymentContent
  isDraft: boolean
  disturbed: readonly DisturbedDirection[]
  onSent: (transactionId: string) => void
  /** Shown with the form and not before, so that the form does not push it down. */
  below: ReactNode
}

/** The form of one payment beside what it would cost and require. A default export, because its code is loaded after the page's. */
export default function PaymentForm({ application, personId, externalId, originId, initial, isDraft, disturbed, onSent, below }: Props) {
  const t = useT()
  const router = useRouter()
  // Of this person only: another who signs in in the same tab does not see it.
  const storageKey = `payment ${personId} ${externalId}`
  const payment = usePaymentForm(initial, storageKey)
  const [refusal, setRefusal] = useState<SendCode | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [isSaving, setIsSaving] = useState(false)
  const isReady = useIsReady()
  // A second press of Enter arrives before the button is shown as busy.
  const isSending = useRef(false)

  async function send() {
    if (isSending.current) return
    isSending.current = true
    setProblem(null)
    const sent = await callAction(() => sendForApproval(application, { externalId, originId, ...payment.plain() }))
    isSending.current = false
    if (sent.ok) {
      forgetKept(storageKey)
      return onSent(sent.value.transactionId)
    }
    setRefusal(sent.error.code)
    setProblem(refusalText(t, sent.error.code, SEND_WORDS))
  }

  async function save() {
    setIsSaving(true)
    setRefusal(null)
    const saved = await callAction(() => keepDraft(application, { externalId, originId, content: payment.plain() }))
    setIsSaving(false)
    setProblem(saved.ok ? null : refusalText(t, saved.error.code, DRAFT_WORDS))
    if (!saved.ok) return
    forgetKept(storageKey)
    toast(t('payment.draftSaved'))
    router.refresh()
  }

  return (
    <>
      <form
        noValidate
        onSubmit={(event) => void payment.form.handleSubmit(send)(event)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit()
        }}
        className="grid items-start gap-8 lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]"
      >
        {/* Until the script is there, what somebody types would be lost. */}
        <fieldset disabled={!isReady} className="grid min-w-0 gap-4">
          <PaymentFields application={application} payment={payment} disturbed={disturbed} />
          {problem && <ErrorNotice error={problem} />}
          {refusal && SHOWN_BY_RELOAD.includes(refusal) && (
            <Button className="justify-self-start" onClick={() => location.reload()}>
              {t('payment.showSent')}
            </Button>
          )}
          <div className="flex flex-wrap gap-2">
            <Button type="submit" variant="primary" isBusy={payment.form.formState.isSubmitting}>
              {t('payment.send')}
            </Button>
            <Button isBusy={isSaving} onClick={() => void save()}>
              {t(isDraft ? 'payment.saveDraftAgain' : 'payment.saveDraft')}
            </Button>
          </div>
        </fieldset>
        <PaymentPreviewPart application={application} originId={originId} payment={payment} />
      </form>
      {below}
    </>
  )
}

/** False while the server's markup has no script yet. */
function useIsReady(): boolean {
  const [isReady, setIsReady] = useState(false)
  useEffect(() => setIsReady(true), [])
  return isReady
}
