'use client'

import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { definePart, LazyPart } from '#components/ui/lazy-part.tsx'
import { useT } from '#components/ui/translations.tsx'

const ROTATE_DIALOG = definePart(() => import('../../_components/changes/rotate-dialog.tsx'))
const END_DIALOG = definePart(() => import('./end-dialog.tsx'))

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
