'use client'

import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { definePart, LazyPart } from '#components/ui/lazy-part.tsx'
import { useT } from '#components/ui/translations.tsx'

const QUESTION = definePart(() => import('./proposal-question.tsx'))
const END_DIALOG = definePart(() => import('./end-dialog.tsx'))

type Props = { application: string; apiUserId: string; name: string; isBlocked: boolean; mayPropose: boolean }

/** A new password and unblocking need a second person; blocking works at once. */
export function ApiUserButtons({ application, apiUserId, name, isBlocked, mayPropose }: Props) {
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
