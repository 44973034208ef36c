'use client'

import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useT } from '#components/ui/translations.tsx'

const ReverseDialog = onDemand(async () => (await import('./reverse-dialog.tsx')).ReverseDialog)

/** `ledger`: the application of the payment. `step`: to have it taken back, or to say what became of it; null: neither. */
type Props = { application: string; ledger: string; transactionId: string; step: 'ask' | 'end' | null }

/** Opens the form of a reversal at the operator. */
export function ReverseButton({ step, ...props }: Props) {
  const t = useT()
  const [isOpen, setIsOpen] = useState(false)
  if (step === null) return null
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>{t(step === 'ask' ? 'exceptions.reverse' : 'exceptions.reversed')}</Button>
      {isOpen && <ReverseDialog {...props} step={step} onClose={() => setIsOpen(false)} />}
    </>
  )
}
