'use client'

import type { FormEvent } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { Select } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { ChangeKindName } from '#lib/proposed-change.ts'
import { useProposal } from './use-proposal.ts'

const OVERLAP_HOURS = [0, 1, 24, 72, 168, 720] as const

type Props = {
  application: string
  title: string
  kind: Extract<ChangeKindName, 'key.rotate' | 'webhook_secret.rotate'>
  subject: Record<string, string>
  onClose: () => void
}

/** Proposes a new secret beside an old one, which keeps working for a chosen time. */
export default function RotateDialog({ application, title, kind, subject, onClose }: Props) {
  const t = useT()
  const { propose, error, isPending } = useProposal(application, onClose)
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    propose(kind, { ...subject, overlapHours: Number(new FormData(event.currentTarget).get('overlapHours')) })
  }
  return (
    <FormDialog title={title} submitLabel={t('change.propose')} isPending={isPending} error={error} onSubmit={submit} onClose={onClose}>
      <Select
        id="overlap"
        name="overlapHours"
        label={t(kind === 'key.rotate' ? 'credentials.overlapKey' : 'credentials.overlapSecret')}
        hint={t('credentials.overlapHint')}
        defaultValue={24}
      >
        {OVERLAP_HOURS.map((count) => (
          <option key={count} value={count}>
            {t('change.hours', { count })}
          </option>
        ))}
      </Select>
      <p className="text-second text-quiet">{t('credentials.collectAfterwards')}</p>
    </FormDialog>
  )
}
