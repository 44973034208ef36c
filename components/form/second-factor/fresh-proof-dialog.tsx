import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { ProofAnswer } from '#lib/people/passkeys.ts'
import { FormDialog } from '../form-dialog.tsx'
import { useOfferedProofs } from './offered-proofs.tsx'
import { usePasskeyProof } from './use-passkey-proof.ts'

type Props = { problem: string | null; isPending: boolean; onProof: (proof: ProofAnswer) => void; onClose: () => void }

/** Asks for a one-time code or a passkey, whichever the person has. */
export function FreshProofDialog({ problem, isPending, onProof, onClose }: Props) {
  const t = useT()
  const { asksCode, asksPasskey } = useOfferedProofs()
  const [code, setCode] = useState('')
  const [isMissing, setIsMissing] = useState(false)
  const [unproven, setUnproven] = useState<string | null>(null)
  const passkey = usePasskeyProof({ act: 'confirm', onProof, onProblem: (key) => setUnproven(t(key)) })
  function askDevice() {
    if (isPending || passkey.isAsking) return
    setUnproven(null)
    setIsMissing(false)
    passkey.ask()
  }
  function sendCode() {
    setUnproven(null)
    setIsMissing(code.trim() === '')
    if (code.trim() === '') return
    onProof({ kind: 'code', code })
    // A code is used up, even if the action is then refused.
    setCode('')
  }
  return (
    <FormDialog
      title={t(asksPasskey ? 'form.passkey.title' : 'form.code.title')}
      submitLabel={t(asksCode ? 'form.code.confirm' : 'form.passkey.use')}
      isPending={isPending || (passkey.isAsking && !asksCode)}
      error={unproven ?? (passkey.isAsking ? null : problem)}
      onSubmit={asksCode ? sendCode : askDevice}
      onClose={onClose}
    >
      {asksCode ? (
        <TextField
          id="fresh-code"
          name="code"
          label={t('form.code.label')}
          hint={t('form.code.hint')}
          error={isMissing ? t('action.code_required') : undefined}
          value={code}
          onChange={(event) => setCode(event.target.value)}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={7}
          className="max-w-36 tabular"
        />
      ) : (
        <p>{t('form.passkey.lead')}</p>
      )}
      {asksCode && asksPasskey && (
        <div className="grid justify-items-start gap-2 border-t border-line pt-4">
          <p className="text-second text-quiet">{t('form.passkey.lead')}</p>
          <Button isBusy={passkey.isAsking} disabled={isPending} onClick={askDevice}>
            {t('form.passkey.use')}
          </Button>
        </div>
      )}
    </FormDialog>
  )
}
