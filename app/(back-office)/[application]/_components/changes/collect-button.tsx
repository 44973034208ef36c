'use client'

import { useState, useTransition } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { useFreshCode } from '#components/form/use-fresh-code.tsx'
import { Button } from '#components/ui/button.tsx'
import { definePart, LazyPart } from '#components/ui/lazy-part.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { callAction, refusalText } from '#lib/action-result.ts'
import type { CollectedSecret } from '#lib/proposed-change.ts'
import { collectSecret } from '../../../../actions/changes.ts'
import { CHANGE_REFUSALS } from './change-words.ts'

const SECRET_DIALOG = definePart(() => import('./secret-dialog.tsx'))

/** Makes the secret of a confirmed proposal and shows it, once: it is kept in the memory of this component only, until the dialog closes. */
export function CollectButton({ application, changeId }: { application: string; changeId: string }) {
  const t = useT()
  const router = useRouter()
  const [secret, setSecret] = useState<CollectedSecret | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [isPending, startTransition] = useTransition()
  const freshCode = useFreshCode(isPending)
  function collect(code?: string) {
    startTransition(async () => {
      const result = await callAction(() => collectSecret(application, { changeId, ...(code && { code }) }))
      if (!result.ok) {
        if (freshCode.asks(result.error.code, collect)) return
        return setError(refusalText(t, result.error.code, CHANGE_REFUSALS))
      }
      freshCode.accepted()
      setSecret(result.value)
    })
  }
  function close() {
    setSecret(null)
    router.refresh()
  }
  return (
    <div className="mt-3 grid justify-items-start gap-2">
      {error && <ErrorNotice error={error} />}
      <p>{t('change.collection.yours')}</p>
      <Button variant="primary" isBusy={isPending} disabled={secret !== null} onClick={() => collect()}>
        {t('change.collect')}
      </Button>
      {freshCode.dialog}
      {secret && <LazyPart part={SECRET_DIALOG} props={{ secret, onClose: close }} />}
    </div>
  )
}
