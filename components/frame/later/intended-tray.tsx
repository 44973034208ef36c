import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { endText, sumsText } from '#components/decision/decision-text.tsx'
import { SecondsLeft } from '#components/decision/undo-line.tsx'
import { isWaiting, useIntended } from '#components/decision/use-intended.ts'
import { Icon } from '#components/ui/display/icon.tsx'
import { Link } from '#components/ui/link.tsx'
import { announce, toast } from '#components/ui/overlay/toast.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { IntendedDecision, IntentionRefusal, RefusedItem } from '#lib/approvals/intended.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { queryKeys } from '#lib/pages/queries.ts'
import { type ActionResult, callAction } from '#lib/result.ts'
import { formatCount, moneyText } from '#lib/text/format.ts'
import { isTyping } from '../keyboard.ts'

type IntentionAction = (application: string, input: unknown) => Promise<ActionResult<true, 'already_sent'>>
export type IntendedActions = { undo: IntentionAction; dismiss: IntentionAction }

/** How many refused items of a list are named. */
const NAMED_MAX = 3

/**
 * The validations of this person at the foot of every page, as items of the list of toasts: those that can be undone, with the rest of their
 * time and the key U, and those that were refused when they were to take effect, until they are dismissed.
 */
export function IntendedTray({ application, actions }: { application: string; actions: IntendedActions }) {
  const { t, locale } = useTranslations()
  const { intended, readAtMs } = useIntended(application, true)
  const undo = useUndo(application, actions)
  useAnnouncements(intended)
  const [dismissed, setDismissed] = useState<ReadonlySet<string>>(new Set())
  const waiting = intended.filter(isWaiting)
  const refused = intended.filter((one) => one.state === 'refused' && !dismissed.has(one.intentionId))

  function dismiss(intentionId: string) {
    setDismissed((before) => new Set(before).add(intentionId))
    void callAction(() => actions.dismiss(application, { intentionId }))
  }

  return (
    <>
      {refused.map((one) => (
        <li
          key={one.intentionId}
          className="pointer-events-auto flex max-w-lg items-start gap-3 rounded-md border border-bad bg-surface px-3.5 py-2 text-bad shadow-float"
        >
          <Refused application={application} intention={one} />
          <button
            type="button"
            aria-label={t('ui.dismiss')}
            onClick={() => dismiss(one.intentionId)}
            className="-mr-1.5 flex size-6 shrink-0 items-center justify-center rounded-sm"
          >
            <Icon name="close" className="size-3.5" />
          </button>
        </li>
      ))}
      {waiting.map((one, index) => (
        <li
          key={one.intentionId}
          className="pointer-events-auto flex max-w-lg flex-wrap items-center gap-x-3 gap-y-1 rounded-md border border-ink bg-ink px-3.5 py-2 text-paper shadow-float"
        >
          <span>{waitingText(t, locale, one)}</span>
          <SecondsLeft dueInMs={one.dueInMs} readAtMs={readAtMs} />
          <button type="button" onClick={() => undo(one)} className="font-strong underline">
            {t('undo.button')}
            {index === 0 && <kbd className="ml-1.5 rounded-sm border px-1 text-second no-underline max-md:hidden">U</kbd>}
          </button>
        </li>
      ))}
    </>
  )
}

/** Undoes the newest with the key U, and one of them by the buttons of rows and pages (`data-undo`). */
function useUndo(
  application: string,
  actions: IntendedActions,
): (intention: Pick<IntendedDecision, 'intentionId' | 'transactionIds'>) => void {
  const { t } = useTranslations()
  const queryClient = useQueryClient()
  const { intended } = useIntended(application, true)
  const running = useRef(new Set<string>())
  const undo = useCallback(
    async ({ intentionId, transactionIds }: Pick<IntendedDecision, 'intentionId' | 'transactionIds'>) => {
      if (running.current.has(intentionId)) return
      running.current.add(intentionId)
      const undone = await callAction(() => actions.undo(application, { intentionId }))
      running.current.delete(intentionId)
      if (undone.ok) toast(t('undo.undone'))
      else toast(t(undone.error.code === 'already_sent' ? 'undo.tooLate' : 'undo.unanswered'), 'bad')
      await queryClient.invalidateQueries({ queryKey: queryKeys.approvals(application) })
      // The pressed button is gone.
      const row = transactionIds[0] === undefined ? null : document.getElementById(`row-${transactionIds[0]}`)
      if (document.activeElement === document.body) (row ?? document.getElementById('content'))?.focus()
    },
    [actions, application, queryClient, t],
  )
  useEffect(() => {
    const waiting = intended.filter(isWaiting)
    function onKeyDown(event: KeyboardEvent) {
      const [newest] = waiting
      if (event.key !== 'u' || !newest || event.repeat || isTyping(event) || document.querySelector('dialog[open]')) return
      void undo(newest)
    }
    function onClick({ target }: MouseEvent) {
      const pressed = target instanceof Element ? target.closest('[data-undo]')?.getAttribute('data-undo') : null
      const found = waiting.find((one) => one.intentionId === pressed)
      if (found) void undo(found)
    }
    addEventListener('keydown', onKeyDown)
    addEventListener('click', onClick)
    return () => {
      removeEventListener('keydown', onKeyDown)
      removeEventListener('click', onClick)
    }
  }, [intended, undo])
  return (intention) => void undo(intention)
}

/** Says what was validated, what of it took effect while the page was open, and what was refused. */
function useAnnouncements(intended: readonly IntendedDecision[]): void {
  const { t, locale } = useTranslations()
  const seen = useRef(new Map<string, IntendedDecision['state']>())
  useEffect(() => {
    for (const one of intended) {
      const before = seen.current.get(one.intentionId)
      seen.current.set(one.intentionId, one.state)
      if (before === one.state) continue
      const seconds = Math.max(0, Math.ceil(one.dueInMs / 1_000))
      if (one.state === 'waiting') announce(t('undo.spoken', { text: waitingText(t, locale, one), seconds }))
      if (one.state === 'carried_out' && before === 'waiting') toast(carriedOutText(t, locale, one))
      if (one.state === 'refused') announce(t('undo.refused', { what: subjectText(t, locale, one) }))
    }
  }, [intended, locale, t])
}

/** The payment or batch that was validated, and that no money moves where another approval is needed. */
function waitingText(t: Translate, locale: Locale, one: IntendedDecision): string {
  const what = subjectText(t, locale, one)
  if (one.stillWaiting === 0) return t('undo.validated', { what })
  return one.customerName === null ? t('undo.approvedSome', { what, count: one.stillWaiting }) : t('undo.approved', { what })
}

function carriedOutText(t: Translate, locale: Locale, one: IntendedDecision): string {
  const what = subjectText(t, locale, one)
  if (one.stillWaiting === 0) return t('undo.done', { what })
  return one.customerName === null ? t('undo.doneSome', { what, count: one.stillWaiting }) : t('undo.donePart', { what })
}

/** `250,000 XAF to Awa Diop`, `3 · 810,000 XAF` or the name of the batch. */
function subjectText(t: Translate, locale: Locale, { batch, sums, customerName, transactionIds }: IntendedDecision): string {
  if (batch) return t('undo.batch', { name: batch.name })
  if (customerName !== null) return t('undo.toOne', { amount: sumsText(sums, locale), name: customerName })
  return t('undo.several', { count: formatCount(transactionIds.length, locale), sums: sumsText(sums, locale) })
}

function Refused({ application, intention }: { application: string; intention: IntendedDecision }) {
  const { t, locale } = useTranslations()
  const { refusal, refused, batch, transactionIds } = intention
  if (refusal !== null) {
    const place = batch ? paths.batchApproval(application, batch.batchId) : paths.approvals(application)
    const only = transactionIds.length === 1 ? transactionIds[0] : undefined
    return (
      <span>
        {t('undo.refused', { what: subjectText(t, locale, intention) })}. {t(refusalKey(refusal))}{' '}
        <Link href={only ? paths.transaction(application, only) : place} className="font-strong underline">
          {t('undo.open')}
        </Link>
      </span>
    )
  }
  return (
    <ul className="grid gap-1">
      {refused.slice(0, NAMED_MAX).map((item) => (
        <li key={item.transactionId}>
          <RefusedLine application={application} item={item} />
        </li>
      ))}
      {refused.length > NAMED_MAX && <li>{t('undo.more', { count: refused.length - NAMED_MAX })}</li>}
    </ul>
  )
}

function RefusedLine({ application, item }: { application: string; item: RefusedItem }) {
  const words = useTranslations()
  const { t, locale } = words
  const what = t('undo.toOne', { amount: moneyText(item, locale), name: item.customerName })
  return (
    <>
      {t('undo.refused', { what })}. {item.end ? endText(words, item.end) : t(`approvals.refused.${item.reason}`)}{' '}
      <Link href={paths.transaction(application, item.transactionId)} className="font-strong underline">
        {t('undo.open')}
      </Link>
    </>
  )
}

function refusalKey(refusal: IntentionRefusal) {
  switch (refusal) {
    case 'too_late':
    case 'session_ended':
    case 'changed':
    case 'submitting':
    case 'nothing_left':
      return `undo.why.${refusal}` as const
    case 'wrong_code':
    case 'passkey_refused':
    case 'code_throttled':
      return 'approvals.refused.code_required' as const
    default:
      return `approvals.refused.${refusal}` as const
  }
}
