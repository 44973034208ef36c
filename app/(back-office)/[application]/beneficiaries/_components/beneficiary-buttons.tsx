'use client'

import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { DialogButton } from '#components/ui/overlay/dialog-button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { BeneficiaryDto, BeneficiaryGroup } from '#lib/beneficiaries/beneficiaries.ts'
import { archiveBeneficiary } from '../actions.ts'

const IdentityDialog = onDemand(async () => (await import('./beneficiary-dialogs.tsx')).IdentityDialog)
const EditDialog = onDemand(async () => (await import('./beneficiary-dialogs.tsx')).EditDialog)
const ArchiveDialog = onDemand(async () => (await import('./beneficiary-dialogs.tsx')).ArchiveDialog)
const ListDialog = onDemand(async () => (await import('./list-dialog.tsx')).ListDialog)

type OfGroups = { application: string; groups: readonly BeneficiaryGroup[] }
type OfOne = { application: string; beneficiary: BeneficiaryDto }

/** Proposes a person. */
export function AddButton({ application, groups }: OfGroups) {
  const t = useT()
  return (
    <DialogButton variant="primary" dialog={(onClose) => <IdentityDialog {...{ application, groups, onClose }} present={null} />}>
      {t('beneficiaries.add')}
    </DialogButton>
  )
}

/** Proposes another name or number. */
export function IdentityButton({ application, beneficiary }: OfOne) {
  const t = useT()
  return (
    <DialogButton
      size="small"
      aria-label={t('beneficiaries.changeNumberOf', { name: beneficiary.name })}
      dialog={(onClose) => <IdentityDialog {...{ application, onClose }} groups={[]} present={beneficiary} />}
    >
      {t('beneficiaries.changeNumber')}
    </DialogButton>
  )
}

/** Changes group and amount. */
export function EditButton({ application, beneficiary, groups }: OfOne & OfGroups) {
  const t = useT()
  return (
    <DialogButton
      size="small"
      aria-label={t('beneficiaries.editOf', { name: beneficiary.name })}
      dialog={(onClose) => <EditDialog {...{ application, beneficiary, groups, onClose }} />}
    >
      {t('beneficiaries.edit')}
    </DialogButton>
  )
}

/** Takes a person out of the book, after a question. */
export function ArchiveButton({ application, beneficiary }: OfOne) {
  const t = useT()
  return (
    <DialogButton
      size="small"
      aria-label={t('beneficiaries.archiveOf', { name: beneficiary.name })}
      dialog={(onClose) => <ArchiveDialog {...{ application, beneficiary, onClose }} />}
    >
      {t('beneficiaries.archive')}
    </DialogButton>
  )
}

/** Takes an archived person back into the book. */
export function ReturnButton({ application, beneficiary }: OfOne) {
  const t = useT()
  const { beneficiaryId, name } = beneficiary
  const { run, isPending, error } = useAction(() => archiveBeneficiary(application, { beneficiaryId, isArchived: false }), {
    words: { not_permitted: 'action.forbidden', not_found: 'action.not_found', number_in_book: 'beneficiaries.numberInBook' },
    refreshes: 'done',
    onDone: () => toast(t('beneficiaries.returned')),
  })
  return (
    <span className="grid justify-items-end gap-1">
      <Button size="small" isBusy={isPending} aria-label={t('beneficiaries.returnOf', { name })} onClick={() => run()}>
        {t('beneficiaries.return')}
      </Button>
      {error && (
        <span role="alert" className="text-second text-bad">
          {error}
        </span>
      )}
    </span>
  )
}

/** Prepares a batch for a group. */
export function PayGroupButton({ application, groups }: OfGroups) {
  const t = useT()
  return (
    <DialogButton dialog={(onClose) => <ListDialog {...{ application, onClose }} of={{ groups }} />}>
      {t('beneficiaries.payGroup')}
    </DialogButton>
  )
}
