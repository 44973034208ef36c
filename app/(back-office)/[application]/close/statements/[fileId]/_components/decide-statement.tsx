'use client'

import { useEffect } from 'react'
import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { importStatement, withdrawStatement } from '../../../actions.ts'

const WORDS = { not_ready: 'statements.notReady' } as const

/** The two decisions about a statement that was checked. */
export function DecideStatement({ application, fileId, newLines }: { application: string; fileId: string; newLines: string }) {
  const t = useT()
  const imports = useAction(() => importStatement(application, { fileId }), { words: WORDS, refreshes: 'answered' })
  const withdraws = useAction(() => withdrawStatement(application, { fileId }), { words: WORDS, refreshes: 'answered' })
  const error = imports.error ?? withdraws.error
  return (
    <div className="grid gap-3">
      {error && <Notice tone="bad">{error}</Notice>}
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" isBusy={imports.isPending} onClick={() => imports.run()}>
          {t('statements.import', { lines: newLines })}
        </Button>
        <Button isBusy={withdraws.isPending} onClick={() => withdraws.run()}>
          {t('statements.withdraw')}
        </Button>
      </div>
    </div>
  )
}

/** Takes back a statement that waits for its columns. */
export function WithdrawStatement({ application, fileId }: { application: string; fileId: string }) {
  const t = useT()
  const { run, isPending, error } = useAction(() => withdrawStatement(application, { fileId }), { words: WORDS, refreshes: 'answered' })
  return (
    <div className="grid gap-3">
      {error && <Notice tone="bad">{error}</Notice>}
      <div>
        <Button isBusy={isPending} onClick={() => run()}>
          {t('statements.withdraw')}
        </Button>
      </div>
    </div>
  )
}

const REFRESH_MS = 1_500

/** Reads the page again while a worker reads or stores the file. */
export function RefreshWhile({ isOn }: { isOn: boolean }) {
  const router = useRouter()
  useEffect(() => {
    if (!isOn) return
    const timer = setInterval(() => router.refresh(), REFRESH_MS)
    return () => clearInterval(timer)
  }, [isOn, router])
  return null
}
