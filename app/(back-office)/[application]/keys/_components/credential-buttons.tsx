'use client'

import type { ComponentProps } from 'react'
import type { Button } from '#components/ui/button.tsx'
import { DialogButton } from '#components/ui/overlay/dialog-button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useT } from '#components/ui/translations.tsx'

const RotateDialog = onDemand(async () => (await import('../../_components/changes/proposal-dialog.tsx')).RotateDialog)
const EndDialog = onDemand(async () => (await import('./credential-dialogs.tsx')).EndDialog)
const ProposalQuestion = onDemand(async () => (await import('../../_components/changes/proposal-dialog.tsx')).ProposalQuestion)
const ProposeDialog = onDemand(async () => (await import('./credential-dialogs.tsx')).ProposeDialog)

type Props = { application: string; apiKeyId: string; name: string; mayRotate: boolean }

/** Rotate needs a second person; Revoke works at once. */
export function KeyButtons({ application, apiKeyId, name, mayRotate }: Props) {
  const t = useT()
  const rotate = t('credentials.rotateKey', { name })
  return (
    <div className="flex flex-wrap justify-end gap-2">
      {mayRotate && (
        <DialogButton
          size="small"
          aria-label={rotate}
          dialog={(onClose) => (
            <RotateDialog application={application} title={rotate} kind="key.rotate" subject={{ apiKeyId }} onClose={onClose} />
          )}
        >
          {t('credentials.rotate')}
        </DialogButton>
      )}
      <DialogButton
        size="small"
        variant="danger"
        aria-label={t('credentials.revokeKey', { name })}
        dialog={(onClose) => <EndDialog application={application} what={{ kind: 'key', apiKeyId, name }} onClose={onClose} />}
      >
        {t('credentials.revoke')}
      </DialogButton>
    </div>
  )
}

type ApiUserButtonsProps = { application: string; apiUserId: string; name: string; isBlocked: boolean; mayPropose: boolean }

/** A new password and unblocking need a second person; blocking works at once. */
export function ApiUserButtons({ application, apiUserId, name, isBlocked, mayPropose }: ApiUserButtonsProps) {
  const t = useT()
  const question = { application, input: { apiUserId } }
  return (
    <div className="flex flex-wrap justify-end gap-2">
      {mayPropose && (
        <QuestionButton
          {...question}
          kind="api_user.reset"
          label={t('credentials.reset')}
          title={t('credentials.resetUser', { name })}
          text={t('credentials.resetText')}
        />
      )}
      {isBlocked && mayPropose && (
        <QuestionButton
          {...question}
          kind="api_user.unblock"
          label={t('credentials.unblock')}
          title={t('credentials.unblockUser', { name })}
          text={t('credentials.unblockText')}
        />
      )}
      {!isBlocked && (
        <DialogButton
          size="small"
          variant="danger"
          aria-label={t('credentials.blockUser', { name })}
          dialog={(onClose) => <EndDialog application={application} what={{ kind: 'user', apiUserId, name }} onClose={onClose} />}
        >
          {t('credentials.block')}
        </DialogButton>
      )}
    </div>
  )
}

type QuestionButtonProps = Omit<ComponentProps<typeof ProposalQuestion>, 'onClose'> & { label: string }

/** Opens the question whether to propose a change that has nothing to fill in. */
function QuestionButton({ label, ...question }: QuestionButtonProps) {
  return (
    <DialogButton size="small" aria-label={question.title} dialog={(onClose) => <ProposalQuestion {...question} onClose={onClose} />}>
      {label}
    </DialogButton>
  )
}

type ProposeButtonProps = Omit<ComponentProps<typeof ProposeDialog>, 'onClose' | 'network'> &
  Pick<ComponentProps<typeof Button>, 'size'> & { label: string; network?: string }

/** Opens the form of a new key, API user or address. `network` fills in the address. */
export function ProposeButton({ application, form, label, network = '', size }: ProposeButtonProps) {
  return (
    <DialogButton
      size={size}
      dialog={(onClose) => <ProposeDialog application={application} form={form} network={network} onClose={onClose} />}
    >
      {label}
    </DialogButton>
  )
}

/** Proposes to take an address off the list. The last one says what follows. */
export function RemoveAddressButton({ application, network, isLast }: { application: string; network: string; isLast: boolean }) {
  const t = useT()
  return (
    <QuestionButton
      application={application}
      kind="address.deny"
      input={{ network }}
      label={t('credentials.remove')}
      title={t('credentials.removeAddress', { network })}
      text={t(isLast ? 'credentials.removeLastText' : 'credentials.removeText')}
    />
  )
}
