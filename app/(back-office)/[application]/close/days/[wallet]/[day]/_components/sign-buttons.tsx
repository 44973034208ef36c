'use client'

import { useState } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { usePageKeys } from '#components/frame/use-page-keys.ts'
import { Button } from '#components/ui/button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { paths } from '#lib/pages/paths.ts'
import { addDays } from '#lib/time/time.ts'
import { prepareDay } from '../../../../actions.ts'
import { SIGN_WORDS } from './sign-words.ts'

const SignDialog = onDemand(async () => (await import('./sign-dialogs.tsx')).SignDialog)
const ReopenDialog = onDemand(async () => (await import('./sign-dialogs.tsx')).ReopenDialog)

type Props = {
  application: string
  wallet: string
  day: string
  prepared: { hash: string; by: string } | null
  /** Nobody can sign the day now; the page says why. */
  isBlocked: boolean
  /** Others can, this person cannot. */
  isRefused: boolean
  may: { sign: boolean; reopen: boolean }
}

/** Prepare, sign and reopen. S prepares or signs, [ and ] go to the day before and after. */
export function SignButtons({ application, wallet, day, prepared, isBlocked, isRefused, may }: Props) {
  const t = useT()
  const router = useRouter()
  const [asked, setAsked] = useState<'sign' | 'reopen' | null>(null)
  const prepare = useAction(() => prepareDay(application, { wallet, day }), {
    words: SIGN_WORDS,
    refreshes: 'answered',
    said: () => t('close.sign.prepared'),
  })
  const maySign = may.sign && prepared !== null && !isBlocked && !isRefused
  const mayPrepare = may.sign && !isBlocked
  const goTo = (days: number) => router.push(paths.closeDay(application, wallet, addDays(day, days)))
  usePageKeys({
    '[': () => goTo(-1),
    ']': () => goTo(1),
    s: maySign ? () => setAsked('sign') : mayPrepare && prepared === null && (() => prepare.run()),
  })
  return (
    <>
      <div className="no-print mt-3 flex flex-wrap gap-2 empty:hidden">
        {may.sign && (
          <Button
            variant={prepared ? 'primary' : undefined}
            disabled={!maySign}
            aria-describedby={maySign ? undefined : 'sign-obstacle'}
            aria-keyshortcuts="S"
            onClick={() => setAsked('sign')}
          >
            {t('close.sign.sign')}
          </Button>
        )}
        {may.sign && (
          <Button
            variant={prepared ? undefined : 'primary'}
            disabled={!mayPrepare}
            isBusy={prepare.isPending}
            onClick={() => prepare.run()}
          >
            {t(prepared ? 'close.sign.prepareAgain' : 'close.sign.prepare')}
          </Button>
        )}
        {may.reopen && <Button onClick={() => setAsked('reopen')}>{t('close.sign.reopen')}</Button>}
      </div>
      {prepare.error && <ErrorNotice error={prepare.error} />}
      {asked === 'sign' && prepared && (
        <SignDialog application={application} wallet={wallet} day={day} prepared={prepared} onClose={() => setAsked(null)} />
      )}
      {asked === 'reopen' && <ReopenDialog application={application} wallet={wallet} day={day} onClose={() => setAsked(null)} />}
    </>
  )
}
