'use client'

import { useState } from 'react'
import { Button, type ButtonSize } from '#components/ui/button.tsx'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { useT } from '#components/ui/translations.tsx'

const ROTATE_DIALOG = definePart(async () => ({ default: (await import('../../_components/changes/change-dialogs.tsx')).RotateDialog }))
const END_DIALOG = definePart(async () => ({ default: (await import('./credential-dialogs.tsx')).EndDialog }))

type Props = { application: string; apiKeyId: string; name: string; mayRotate: boolean }

/** Rotate needs a second person; Revoke works at once. */
export function KeyButtons({ application, apiKeyId, name, mayRotate }: Props) {
  const t = useT()
  const [open, setOpen] = useState<'rotate' | 'revoke' | null>(null)
  const onClose = () => setOpen(null)
  return (
    <div className="flex flex-wrap justify-end gap-2">
      {mayRotate && (
        <Button size="small" aria-label={t('credentials.rotateKey', { name })} onClick={() => setOpen('rotate')}>
          {t('credentials.rotate')}
        </Button>
      )}
      <Button size="small" variant="danger" aria-label={t('credentials.revokeKey', { name })} onClick={() => setOpen('revoke')}>
        {t('credentials.revoke')}
      </Button>
      {open === 'rotate' && (
        <LazyPart
          part={ROTATE_DIALOG}
          props={{ application, title: t('credentials.rotateKey', { name }), kind: 'key.rotate', subject: { apiKeyId }, onClose }}
        />
      )}
      {open === 'revoke' && <LazyPart part={END_DIALOG} props={{ application, what: { kind: 'key', apiKeyId, name }, onClose }} />}
    </div>
  )
}

const QUESTION = definePart(async () => ({ default: (await import('./credential-dialogs.tsx')).ProposalQuestion }))

type ApiUserButtonsProps = { application: string; apiUserId: string; name: string; isBlocked: boolean; mayPropose: boolean }

/** A new password and unblocking need a second person; blocking works at once. */
export function ApiUserButtons({ application, apiUserId, name, isBlocked, mayPropose }: ApiUserButtonsProps) {
  const t = useT()
  const [open, setOpen] = useState<'reset' | 'unblock' | 'block' | null>(null)
  const onClose = () => setOpen(null)
  const input = { apiUserId }
  return (
    <div className="flex flex-wrap justify-end gap-2">
      {mayPropose && (
        <Button size="small" aria-label={t('credentials.resetUser', { name })} onClick={() => setOpen('reset')}>
          {t('credentials.reset')}
        </Button>
      )}
      {isBlocked ? (
        mayPropose && (
          <Button size="small" aria-label={t('credentials.unblockUser', { name })} onClick={() => setOpen('unblock')}>
            {t('credentials.unblock')}
          </Button>
        )
      ) : (
        <Button size="small" variant="danger" aria-label={t('credentials.blockUser', { name })} onClick={() => setOpen('block')}>
          {t('credentials.block')}
        </Button>
      )}
      {open === 'reset' && (
        <LazyPart
          part={QUESTION}
          props={{
            application,
            kind: 'api_user.reset',
            input,
            title: t('credentials.resetUser', { name }),
            text: t('credentials.resetText'),
            onClose,
          }}
        />
      )}
      {open === 'unblock' && (
        <LazyPart
          part={QUESTION}
          props={{
            application,
            kind: 'api_user.unblock',
            input,
            title: t('credentials.unblockUser', { name }),
            text: t('credentials.unblockText'),
            onClose,
          }}
        />
      )}
      {open === 'block' && <LazyPart part={END_DIALOG} props={{ application, what: { kind: 'user', apiUserId, name }, onClose }} />}
    </div>
  )
}

const DIALOG = definePart(async () => ({ default: (await import('./credential-dialogs.tsx')).ProposeDialog }))

/** Opens the form of a new key, API user or address. `network` fills in the address. */
export function ProposeButton(props: {
  application: string
  form: 'key' | 'user' | 'address'
  label: string
  network?: string
  size?: ButtonSize
}) {
  const { application, form, label, network = '', size = 'medium' } = props
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button size={size} onClick={() => setIsOpen(true)}>
        {label}
      </Button>
      {isOpen && <LazyPart part={DIALOG} props={{ application, form, network, onClose: () => setIsOpen(false) }} />}
    </>
  )
}

/** Proposes to take an address off the list. The last one says what follows. */
export function RemoveAddressButton({ application, network, isLast }: { application: string; network: string; isLast: boolean }) {
  const t = useT()
  const [isOpen, setIsOpen] = useState(false)
  const title = t('credentials.removeAddress', { network })
  const text = t(isLast ? 'credentials.removeLastText' : 'credentials.removeText')
  return (
    <>
      <Button size="small" aria-label={title} onClick={() => setIsOpen(true)}>
        {t('credentials.remove')}
      </Button>
      {isOpen && (
        <LazyPart
          part={QUESTION}
          props={{ application, kind: 'address.deny', input: { network }, title, text, onClose: () => setIsOpen(false) }}
        />
      )}
    </>
  )
}
