import type { ReactNode } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { Select } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { ChangeKindName } from '#lib/approvals/proposed-change.ts'
import { hoursText } from './change-difference.tsx'
import { useProposal } from './use-proposal.ts'

type Props = {
  title: string
  /** Of the dialog's own `useProposal`. */
  proposal: ReturnType<typeof useProposal>
  /** Reads the form and proposes what is in it. */
  onSubmit: (form: FormData) => void
  submitLabel?: string
  isRemoval?: boolean
  /** Instead of when it takes effect. */
  afterwards?: string
  onClose: () => void
  children: ReactNode
}

/** The dialog of everything that a person proposes. It says what happens afterwards. */
export function ProposalDialog({ title, proposal, onSubmit, submitLabel, isRemoval = false, afterwards, onClose, children }: Props) {
  const t = useT()
  return (
    <FormDialog
      title={title}
      submitLabel={submitLabel ?? t('change.propose')}
      submitVariant={isRemoval ? 'danger' : 'primary'}
      isPending={proposal.isPending}
      error={proposal.error}
      onSubmit={(_, fields) => onSubmit(fields)}
      onClose={onClose}
    >
      {children}
      <p className="text-second text-quiet">{afterwards ?? t('change.afterwards')}</p>
    </FormDialog>
  )
}

type QuestionProps = {
  application: string
  kind: ChangeKindName
  input: Record<string, string | null>
  title: string
  text: string
  isRemoval?: boolean
  afterwards?: string
  onClose: () => void
}

/** Proposes a change that has nothing to fill in. */
export function ProposalQuestion({ application, kind, input, text, ...others }: QuestionProps) {
  const proposal = useProposal(application, others.onClose)
  return (
    <ProposalDialog {...others} proposal={proposal} onSubmit={() => proposal.propose(kind, input)}>
      <p>{text}</p>
    </ProposalDialog>
  )
}

const OVERLAP_HOURS = [0, 1, 24, 72, 168, 720] as const

type RotateDialogProps = {
  application: string
  title: string
  kind: Extract<ChangeKindName, 'key.rotate' | 'webhook_secret.rotate'>
  subject: Record<string, string>
  onClose: () => void
}

/** Proposes a new secret beside an old one, which keeps working for a chosen time. */
export function RotateDialog({ application, title, kind, subject, onClose }: RotateDialogProps) {
  const t = useT()
  const proposal = useProposal(application, onClose)
  return (
    <ProposalDialog
      title={title}
      proposal={proposal}
      onSubmit={(form) => proposal.propose(kind, { ...subject, overlapHours: Number(form.get('overlapHours')) })}
      afterwards={t('credentials.collectAfterwards')}
      onClose={onClose}
    >
      <Select
        id="overlap"
        name="overlapHours"
        label={t(kind === 'key.rotate' ? 'credentials.overlapKey' : 'credentials.overlapSecret')}
        hint={t('credentials.overlapHint')}
        defaultValue={24}
      >
        {OVERLAP_HOURS.map((count) => (
          <option key={count} value={count}>
            {hoursText(t, count)}
          </option>
        ))}
      </Select>
    </ProposalDialog>
  )
}
