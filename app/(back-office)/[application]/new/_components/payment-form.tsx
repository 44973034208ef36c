import '#components/form/zod-without-eval.ts'

import { type ReactNode, useState } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useIsReady } from '#components/ui/use-is-ready.ts'
import type { DisturbedDirection } from '#lib/operators/operator-outcomes.ts'
import type { AttachmentDto } from '#lib/payments/attachments.ts'
import type { PaymentContent } from '#lib/payments/payment-fields.ts'
import { keepDraft, sendForApproval } from '../actions.ts'
import { AttachmentField } from './attachment-field.tsx'
import { forgetKept } from './kept-payments.ts'
import { PaymentFields } from './payment-fields.tsx'
import { PaymentPreviewPart } from './payment-preview-part.tsx'
import { usePaymentForm } from './use-payment-form.ts'

const SEND_REFUSALS = {
  application_disabled: 'payment.refused.application_disabled',
  overloaded: 'payment.refused.overloaded',
  service_disabled: 'payment.refused.service_disabled',
  operator_not_in_service: 'payment.refused.operator_not_in_service',
  amount_out_of_limits: 'payment.refused.amount_out_of_limits',
  amount_not_multiple: 'payment.refused.amount_not_multiple',
  amount_not_above_fees: 'payment.refused.amount_not_above_fees',
  external_id_taken: 'payment.refused.external_id_taken',
  origin_not_replaceable: 'payment.refused.origin_not_replaceable',
  origin_in_batch: 'payment.refused.origin_in_batch',
  origin_unconfirmed: 'payment.refused.origin_unconfirmed',
  origin_replaced: 'payment.refused.origin_replaced',
  attachment_differs: 'payment.refused.attachment_differs',
  too_many_attachments: 'payment.attachment.too_many',
  offline: 'payment.refused.offline',
} as const

const DRAFT_REFUSALS = { too_many: 'payment.refused.tooManyDrafts' } as const

/** The page as it is now shows what was sent in the meantime. */
const SHOWN_BY_RELOAD: readonly (string | undefined)[] = [
  'external_id_taken',
  'origin_replaced',
  'origin_not_replaceable',
  'attachment_differs',
]

type Props = {
  application: string
  personId: string
  externalId: string
  originId: string | null
  initial: PaymentContent
  attachment: AttachmentDto | null
  earlierAttachment: AttachmentDto | null
  isDraft: boolean
  disturbed: readonly DisturbedDirection[]
  onSent: (transactionId: string) => void
  /** Shown with the form and not before, so that the form does not push it down. */
  below: ReactNode
}

/** The form of one payment beside what it would cost and require. A default export, because its code is loaded after the page's. */
export default function PaymentForm({
  application,
  personId,
  externalId,
  originId,
  initial,
  earlierAttachment,
  isDraft,
  disturbed,
  onSent,
  below,
  ...props
}: Props) {
  const t = useT()
  const [attachment, setAttachment] = useState(props.attachment ?? earlierAttachment)
  const [isAttaching, setIsAttaching] = useState(false)
  const payment = usePaymentForm(initial, { personId, externalId, originId })
  const forget = () => forgetKept(personId, externalId)
  const isReady = useIsReady()
  const attachmentSha256 = attachment?.sha256 ?? null
  const sending = useAction(() => sendForApproval(application, { externalId, originId, attachmentSha256, ...payment.plain() }), {
    words: SEND_REFUSALS,
    onDone({ transactionId }) {
      forget()
      onSent(transactionId)
    },
  })
  const saving = useAction(() => keepDraft(application, { externalId, originId, content: payment.plain() }), {
    words: DRAFT_REFUSALS,
    said: () => t('payment.draftSaved'),
    refreshes: 'done',
    onDone: forget,
  })
  // One message at a time, about what was pressed last.
  function send() {
    saving.setError(null)
    sending.run()
  }
  function save() {
    sending.setError(null)
    saving.run()
  }
  const problem = sending.error ?? saving.error
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
        <fieldset disabled={!isReady} className="grid min-w-0 gap-4">
          <PaymentFields application={application} payment={payment} disturbed={disturbed} />
          <AttachmentField
            application={application}
            externalId={externalId}
            attachment={attachment}
            earlier={earlierAttachment}
            onChange={setAttachment}
            onSending={setIsAttaching}
          />
          {problem && <ErrorNotice error={problem} />}
          {SHOWN_BY_RELOAD.includes(sending.refusal?.code) && (
            <Button className="justify-self-start" onClick={() => location.reload()}>
              {t('payment.showSent')}
            </Button>
          )}
          <div className="flex flex-wrap gap-2">
            <Button type="submit" variant="primary" isBusy={sending.isPending || isAttaching}>
              {t('payment.send')}
            </Button>
            <Button isBusy={saving.isPending} onClick={save}>
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
