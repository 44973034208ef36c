'use client'

import { FormDialog } from '#components/form/form-dialog.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { ChangeKindName } from '#lib/proposed-change.ts'
import { useProposal } from '../../_components/changes/use-proposal.ts'

type Props = {
  application: string
  kind: ChangeKindName
  input: Record<string, string>
  title: string
  text: string
  onClose: () => void
}

/** Proposes a change that has nothing to fill in. */
export default function ProposalQuestion({ application, kind, input, title, text, onClose }: Props) {
  const t = useT()
  const { propose, error, isPending } = useProposal(application, onClose)
  return (
    <FormDialog
      title={title}
      submitLabel={t('change.propose')}
      isPending={isPending}
      error={error}
      onSubmit={(event) => {
        event.preventDefault()
        propose(kind, input)
      }}
      onClose={onClose}
    >
      <p>{text}</p>
      <p className="text-second text-quiet">{t(kind === 'api_user.reset' ? 'credentials.collectAfterwards' : 'change.afterwards')}</p>
    </FormDialog>
  )
}
