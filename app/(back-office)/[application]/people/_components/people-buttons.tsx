'use client'

import { DialogButton } from '#components/ui/overlay/dialog-button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { EditedPerson } from './person-words.ts'

const InviteDialog = onDemand(async () => (await import('./person-dialogs.tsx')).InviteDialog)
const InviteSeveralDialog = onDemand(async () => (await import('./person-dialogs.tsx')).InviteSeveralDialog)
const RolesDialog = onDemand(async () => (await import('./person-dialogs.tsx')).RolesDialog)
const ProposalQuestion = onDemand(async () => (await import('../../_components/changes/proposal-dialog.tsx')).ProposalQuestion)

/** Opens the form that proposes a new person, or the one for several. */
export function InviteButtons({ application }: { application: string }) {
  const t = useT()
  return (
    <>
      <DialogButton dialog={(onClose) => <InviteSeveralDialog application={application} onClose={onClose} />}>
        {t('people.inviteSeveral')}
      </DialogButton>
      <DialogButton variant="primary" dialog={(onClose) => <InviteDialog application={application} onClose={onClose} />}>
        {t('people.invite')}
      </DialogButton>
    </>
  )
}

/** Changes that an administrator can propose for one person. */
export function PersonButtons(props: { application: string; person: EditedPerson }) {
  const t = useT()
  const { personId, name, hasSecondFactor } = props.person
  return (
    <div className="flex flex-wrap justify-end gap-2">
      <DialogButton
        size="small"
        aria-label={t('people.changeRolesOf', { name })}
        dialog={(onClose) => <RolesDialog {...props} onClose={onClose} />}
      >
        {t('people.changeRoles')}
      </DialogButton>
      {hasSecondFactor && (
        <DialogButton
          size="small"
          aria-label={t('people.resetFactorOf', { name })}
          dialog={(onClose) => (
            <ProposalQuestion
              application={props.application}
              kind="person.second_factor_reset"
              input={{ personId }}
              title={t('people.resetFactorOf', { name })}
              text={t('people.resetFactorText')}
              onClose={onClose}
            />
          )}
        >
          {t('people.resetFactor')}
        </DialogButton>
      )}
    </div>
  )
}
