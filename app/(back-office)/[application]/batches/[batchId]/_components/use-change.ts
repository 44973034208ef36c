'use client'

import { useState, useTransition } from 'react'
import { toast } from '#components/ui/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { type ActionResult, callAction, refusalText } from '#lib/action-result.ts'

/** What each refusal of a change of a batch says. */
const WORDS = {
  not_permitted: 'action.forbidden',
  not_found: 'batches.refused.notFound',
  not_a_draft: 'batches.refused.notADraft',
  changed_meanwhile: 'batches.refused.changed',
  no_such_column: 'batches.refused.column',
  application_disabled: 'batches.refused.application',
  nothing_to_submit: 'batches.refused.nothing',
  checked_again: 'batches.refused.checkedAgain',
  same_content: 'batches.refused.sameContent',
  offline: 'action.offline',
} as const

type Failure = Exclude<keyof typeof WORDS, 'offline'>

/**
 * Runs a change and reads the page again, also after a refusal: then something is different from what was shown. Returns whether it was
 * made; `error` is why not.
 */
export function useChange() {
  const t = useT()
  const router = useRouter()
  const [error, setError] = useState<string | null>(null)
  const [isCalling, setIsCalling] = useState(false)
  const [isRefreshing, startRefresh] = useTransition()
  async function change<Value>(call: () => Promise<ActionResult<Value, Failure>>, done?: string): Promise<boolean> {
    setIsCalling(true)
    setError(null)
    const result = await callAction(call)
    setIsCalling(false)
    if (result.ok && done) toast(done)
    if (!result.ok) setError(refusalText(t, result.error.code, WORDS))
    // Without an answer there is nothing new to show, and reading the page again would fail too.
    if (result.ok || result.error.code !== 'offline') startRefresh(() => router.refresh())
    return result.ok
  }
  return { change, error, isBusy: isCalling || isRefreshing }
}
