import { type ReactNode, useEffect, useId, useState } from 'react'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { CustomerName } from '#components/domain/payment.tsx'
import { RelativeTime } from '#components/domain/time-text.tsx'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Button, ButtonLink } from '#components/ui/button.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import type { OwnTransaction } from '#lib/finance/finance-dto.ts'
import { isOperatorCode, OPERATORS } from '#lib/operators/operators.ts'
import { newPaymentPath, type PaymentDraft } from '#lib/payments/payment-preview.ts'
import { callAction } from '#lib/result.ts'
import { discardDraft, keepDraft } from '../actions.ts'
import { type KeptPayment, readAllKept } from './kept-payments.ts'

type Props = {
  application: string
  personId: string
  externalId: string
  drafts: readonly PaymentDraft[]
  returned: readonly OwnTransaction[]
}

/**
 * This maker's open work: payments that a checker returned, those that were started in this tab and neither sent nor saved, and drafts. Renders
 * nothing if there is none.
 */
export function OpenWork({ application, personId, externalId, drafts, returned }: Props) {
  const t = useT()
  const [unfinished, setUnfinished] = useState<readonly KeptPayment[]>([])
  const listKept = () => setUnfinished(readAllKept(personId).filter((each) => each.externalId !== externalId))
  useEffect(listKept, [personId, externalId])
  if (drafts.length + returned.length + unfinished.length === 0) return null
  return (
    <div className="grid gap-8 lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
      {returned.length > 0 && (
        <Part title={t('payment.returned')}>
          {returned.map((each) => (
            <Returned key={each.transactionId} application={application} transaction={each} />
          ))}
        </Part>
      )}
      {unfinished.length > 0 && (
        <Part title={t('payment.unfinished')}>
          {unfinished.map((kept) => (
            <Unsent key={kept.externalId} application={application} payment={kept}>
              <Button
                size="small"
                variant="danger"
                onClick={() => {
                  kept.forget()
                  listKept()
                  toast(t('payment.forgotten'), 'neutral', {
                    label: t('ui.undo'),
                    onPress: () => {
                      kept.keep()
                      listKept()
                    },
                  })
                }}
              >
                {t('payment.deleteDraft')}
                <span className="sr-only"> {kept.content.customerName}</span>
              </Button>
            </Unsent>
          ))}
        </Part>
      )}
      {drafts.length > 0 && (
        <Part title={t('payment.drafts')}>
          {drafts.map((draft) => (
            <Draft key={draft.externalId} application={application} draft={draft} />
          ))}
        </Part>
      )}
    </div>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="min-w-0">
      <h2 id={id} className="text-amount font-strong">
        {title}
      </h2>
      <ul className="mt-2 rounded-lg border border-line bg-surface px-3">{children}</ul>
    </section>
  )
}

const LINE = 'grid gap-1 border-b border-line py-2.5 last:border-b-0'

function Returned({ application, transaction }: { application: string; transaction: OwnTransaction }) {
  const t = useT()
  const { transactionId, customerName, amount, currency, operator, failure, message, at } = transaction
  return (
    <li className={LINE}>
      <span className="flex justify-between gap-x-4">
        <CustomerName name={customerName} className="min-w-0 truncate font-medium" />
        <Money amount={amount} currency={currency} />
      </span>
      <span dir="auto" className="wrap-anywhere text-bad">
        {message ?? t(`transaction.failure.${failure}.means`)}
      </span>
      <span className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-second text-quiet">
        <span className="flex flex-wrap gap-x-4">
          <OperatorMark code={operator} />
          <RelativeTime at={at} />
        </span>
        <ButtonLink size="small" href={newPaymentPath(application, { from: transactionId })}>
          {t('payment.repair')}
          <span className="sr-only"> {customerName}</span>
        </ButtonLink>
      </span>
    </li>
  )
}

function Draft({ application, draft }: { application: string; draft: PaymentDraft }) {
  const t = useT()
  const router = useRouter()
  const { externalId, originId, content, savedAt } = draft
  async function restore() {
    const result = await callAction(() => keepDraft(application, { externalId, originId, content }))
    if (!result.ok) toast(t('payment.notRestored'), 'bad')
    router.refresh()
  }
  const { run, isPending, error } = useAction(() => discardDraft(application, { externalId }), {
    words: {},
    refreshes: 'answered',
    onDone: () => toast(t('payment.draftDeleted'), 'neutral', { label: t('ui.undo'), onPress: () => void restore() }),
  })
  return (
    <Unsent application={application} payment={draft} error={error} savedAt={savedAt}>
      <Button size="small" variant="danger" isBusy={isPending} onClick={() => run()}>
        {t('payment.deleteDraft')}
        <span className="sr-only"> {content.customerName}</span>
      </Button>
    </Unsent>
  )
}

type UnsentProps = {
  application: string
  payment: Pick<PaymentDraft, 'externalId' | 'originId' | 'content'>
  savedAt?: string
  error?: string | null
  children: ReactNode
}

/** A payment that was not sent: what is known of it, and the way back to its form. */
function Unsent({ application, payment: { externalId, originId, content }, savedAt, error, children }: UnsentProps) {
  const t = useT()
  const { customerName, phoneNumber, amount, operator } = content
  const name = customerName.trim() || phoneNumber || t('payment.unnamed')
  return (
    <li className={LINE}>
      {error && <ErrorNotice error={error} />}
      <span className="flex justify-between gap-x-4">
        <CustomerName name={name} className="min-w-0 truncate font-medium" />
        {isOperatorCode(operator) && /^\d+(\.\d{1,2})?$/.test(amount) && (
          <Money amount={amount} currency={OPERATORS[operator].country.currency} />
        )}
      </span>
      <span className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-second text-quiet">
        <span>
          {savedAt !== undefined && (
            <>
              {t('payment.savedAt')} <RelativeTime at={savedAt} />
            </>
          )}
        </span>
        <span className="flex gap-2">
          <ButtonLink size="small" href={newPaymentPath(application, { payment: externalId, from: originId ?? undefined })}>
            {t('payment.continue')}
            <span className="sr-only"> {name}</span>
          </ButtonLink>
          {children}
        </span>
      </span>
    </li>
  )
}
