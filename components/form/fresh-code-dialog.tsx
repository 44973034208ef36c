import { useState } from 'react'
import { TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { FormDialog } from './form-dialog.tsx'

type Props = { problem: string | null; isPending: boolean; onCode: (code: string) => void; onClose: () => void }

/** Asks for a one-time code. */
export function FreshCodeDialog({ problem, isPending, onCode, onClose }: Props) {
  const t = useT()
  const [code, setCode] = useState('')
  const [isMissing, setIsMissing] = useState(false)
  return (
    <FormDialog
      title={t('form.code.title')}
      submitLabel={t('form.code.confirm')}
      isPending={isPending}
      error={problem}
      onSubmit={() => {
        setIsMissing(code.trim() === '')
        if (code.trim() === '') return
        onCode(code)
        // A code is used up, even if the action is then refused.
        setCode('')
      }}
      onClose={onClose}
    >
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
    </FormDialog>
  )
}
