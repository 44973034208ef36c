'use client'

import { FormDialog } from '#components/form/form-dialog.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useProposal } from '../../_components/changes/use-proposal.ts'
import type { EditedPerson } from './edited-person.ts'

type Props = { application: string; person: EditedPerson; onClose: () => void }

/** Proposes to switch off the second factor of a person who lost it. */
export default function ResetDialog({ application, person, onClose }: Props) {
  const t = useT()
  const { propose, error, isPending } = useProposal(application, onClose)
  return (
    <FormDialog
      title={t('people.resetFactorOf', { name: person.name })}
      submitLabel={t('change.propose')}
      isPending={isPending}
      error={error}
      onSubmit={(event) => {
        event.preventDefault()
        propose('person.second_factor_reset', { personId: person.personId })
      }}
      onClose={onClose}
    >
      <p>{t('people.resetFactorText')}</p>
      <p className="text-second text-quiet">{t('change.afterwards')}</p>
    </FormDialog>
  )
}
