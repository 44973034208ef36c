'use client'

import { TimeText } from '#components/domain/time-text.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { DialogButton } from '#components/ui/overlay/dialog-button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { PasskeyDto } from '#lib/people/passkeys.ts'

const NewPasskeyDialog = onDemand(async () => (await import('./passkey-dialogs.tsx')).NewPasskeyDialog)
const RemovePasskeyDialog = onDemand(async () => (await import('./passkey-dialogs.tsx')).RemovePasskeyDialog)

type Props = {
  application: string
  passkeys: readonly PasskeyDto[]
  email: string
  hasSecondFactor: boolean
  /** A first name for a new passkey. */
  device: string
  /** The address of the installation, where it is one without passkeys. */
  unavailableAt: string | null
}

/** The passkeys of the person: name, when they were made and last used, a button to remove each, and one to add another. */
export function Passkeys({ application, passkeys, email, hasSecondFactor, device, unavailableAt }: Props) {
  const t = useT()
  if (unavailableAt !== null && passkeys.length === 0)
    return <p className="break-words text-quiet">{t('settings.passkeysUnavailable', { address: unavailableAt })}</p>
  return (
    <div className="grid justify-items-start gap-3">
      {passkeys.length === 0 ? (
        <p className="text-quiet">{t('settings.noPasskeys')}</p>
      ) : (
        <ul className="w-full divide-y divide-line border-y border-line">
          {passkeys.map((passkey) => (
            <Passkey key={passkey.credentialId} application={application} email={email} passkey={passkey} />
          ))}
        </ul>
      )}
      {unavailableAt === null ? (
        <DialogButton
          dialog={(onClose) => (
            <NewPasskeyDialog
              application={application}
              email={email}
              hasSecondFactor={hasSecondFactor}
              firstName={device}
              onClose={onClose}
            />
          )}
        >
          {t('settings.addPasskey')}
        </DialogButton>
      ) : (
        <Notice>{t('settings.passkeysUnavailable', { address: unavailableAt })}</Notice>
      )}
    </div>
  )
}

function Passkey({ application, email, passkey }: { application: string; email: string; passkey: PasskeyDto }) {
  const t = useT()
  const { name, createdAt, lastUsedAt } = passkey
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
      <div className="min-w-0">
        <p className="font-medium break-words">
          <bdi>{name}</bdi>
        </p>
        <p className="text-second text-quiet">
          {t('settings.passkeyAddedOn')} <TimeText at={createdAt} style="day-year" />
          {' · '}
          {lastUsedAt ? (
            <>
              {t('settings.passkeyUsedOn')} <TimeText at={lastUsedAt} />
            </>
          ) : (
            t('settings.passkeyUnused')
          )}
        </p>
      </div>
      <DialogButton
        size="small"
        variant="danger"
        aria-label={t('settings.removePasskeyOf', { name })}
        dialog={(onClose) => <RemovePasskeyDialog application={application} email={email} passkey={passkey} onClose={onClose} />}
      >
        {t('settings.removePasskey')}
      </DialogButton>
    </li>
  )
}
