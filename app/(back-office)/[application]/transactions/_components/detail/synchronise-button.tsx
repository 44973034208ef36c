'use client'

import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Icon } from '#components/ui/icon.tsx'
import { announce } from '#components/ui/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { callAction, refusalText } from '#lib/action-result.ts'
import { queryKeys } from '#lib/query-keys.ts'
import { synchronise } from '../../actions.ts'

const WORDS = {
  not_found: 'action.not_found',
  operator_unavailable: 'transaction.synchronised.unavailable',
  busy: 'transaction.synchronised.busy',
  throttled: 'transaction.synchronised.busy',
  offline: 'action.offline',
} as const

/** Queries the operator now (chekTransactionStatus) and shows the answer. */
export function SynchroniseButton({ application, transactionId }: { application: string; transactionId: string }) {
  const t = useT()
  const queryClient = useQueryClient()
  const [isBusy, setIsBusy] = useState(false)
  const [answer, setAnswer] = useState<string | null>(null)
  async function run() {
    setIsBusy(true)
    const result = await callAction(() => synchronise(application, { transactionId }))
    const words = result.ok ? t(`transaction.synchronised.${result.value.status}`) : refusalText(t, result.error.code, WORDS)
    setAnswer(words)
    announce(words)
    setIsBusy(false)
    await queryClient.invalidateQueries({ queryKey: queryKeys.transactions(application) })
  }
  return (
    <div className="grid gap-2">
      <span>
        <Button variant="primary" isBusy={isBusy} onClick={() => void run()}>
          <Icon name="refresh" className="size-3.5" />
          {t(isBusy ? 'transaction.synchronising' : 'transaction.synchronise')}
        </Button>
      </span>
      {answer && <p className="text-ink-2">{answer}</p>}
    </div>
  )
}
