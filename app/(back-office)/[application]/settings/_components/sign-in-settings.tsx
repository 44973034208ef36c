'use client'

import { type ReactNode, useEffect, useRef, useState } from 'react'
import { TimeText } from '#components/domain/time-text.tsx'
import { Button, NotAllowed } from '#components/ui/button.tsx'
import { Badge } from '#components/ui/display/badge.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { DialogButton } from '#components/ui/overlay/dialog-button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'

const EnrolPanel = onDemand(async () => (await import('./sign-in-dialogs.tsx')).EnrolPanel)
const CodeDialog = onDemand(async () => (await import('./sign-in-dialogs.tsx')).CodeDialog)
const PasswordDialog = onDemand(async () => (await import('./sign-in-dialogs.tsx')).PasswordDialog)
const RecoveryCodes = onDemand(async () => (await import('#components/form/second-factor/recovery-codes.tsx')).RecoveryCodes)

/** Below this number, the person is told to create new codes. */
const CODES_FEW = 3

type Props = { application: string; enabledAt: string | null; codesLeft: number; demandedBy: string | null }
type Step = { kind: 'rest' } | { kind: 'enrol' } | { kind: 'codes'; codes: readonly string[] }

/** The second factor and its actions. Codes are shown in the page, not in a dialog, because Escape would lose them. */
export function SecondFactor({ application, enabledAt, codesLeft, demandedBy }: Props) {
  const t = useT()
  const router = useRouter()
  const [step, setStep] = useState<Step>({ kind: 'rest' })
  const [asked, setAsked] = useState<'renew' | 'off' | null>(null)
  function rest() {
    setStep({ kind: 'rest' })
    router.refresh()
  }
  if (step.kind === 'codes')
    return (
      <Shown>
        <RecoveryCodes codes={step.codes} onKept={rest} />
      </Shown>
    )
  if (step.kind === 'enrol')
    return (
      <Shown>
        <EnrolPanel
          application={application}
          onDone={(codes) => {
            setStep({ kind: 'codes', codes })
            toast(t('settings.secondFactorOn'))
          }}
          onCancel={rest}
        />
      </Shown>
    )
  if (!enabledAt)
    return (
      <div className="grid justify-items-start gap-3">
        <Badge hasDot>{t('settings.off')}</Badge>
        <Button onClick={() => setStep({ kind: 'enrol' })}>{t('settings.setUp')}</Button>
      </div>
    )
  return (
    <div className="grid gap-3">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone="ok" hasDot>
          {t('settings.on')}
        </Badge>
        <span className="text-quiet">
          {t('settings.since')} <TimeText at={enabledAt} style="day-year" />
        </span>
      </p>
      {codesLeft < CODES_FEW ? (
        <Notice tone="wait">{t('settings.codesFew', { count: codesLeft })}</Notice>
      ) : (
        <p>{t('settings.codesLeft', { count: codesLeft })}</p>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button onClick={() => setAsked('renew')}>{t('settings.renewCodes')}</Button>
        {demandedBy ? (
          <NotAllowed reason={t('settings.demanded', { application: demandedBy })} />
        ) : (
          <Button variant="danger" onClick={() => setAsked('off')}>
            {t('settings.switchOff')}
          </Button>
        )}
      </div>
      {asked && (
        <CodeDialog
          kind={asked}
          application={application}
          onClose={() => setAsked(null)}
          onCodes={(codes) => {
            setAsked(null)
            setStep({ kind: 'codes', codes })
          }}
        />
      )}
    </div>
  )
}

/** Takes the focus of the button that it replaces. */
function Shown({ children }: { children: ReactNode }) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => element.current?.focus(), [])
  return (
    <div ref={element} tabIndex={-1} className="outline-none">
      {children}
    </div>
  )
}

export function PasswordButton({ application, email }: { application: string; email: string }) {
  const t = useT()
  return (
    <DialogButton dialog={(onClose) => <PasswordDialog application={application} email={email} onClose={onClose} />}>
      {t('settings.changePassword')}
    </DialogButton>
  )
}
