'use client'

import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { EditedPerson } from './person-words.ts'

const INVITE = definePart(async () => ({ default: (await import('./person-dialogs.tsx')).InviteDialog }))

/** Opens the form that proposes a new person. */
export function InviteButton({ application }: { application: string }) {
  const t = useT()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button variant="primary" onClick={() => setIsOpen(true)}>
        {t('people.invite')}
      </Button>
      {isOpen && <LazyPart part={INVITE} props={{ application, onClose: () => setIsOpen(false) }} />}
    </>
  )
}

const ROLES_DIALOG = definePart(async () => ({ default: (await import('./person-dialogs.tsx')).RolesDialog }))
const RESET_DIALOG = definePart(async () => ({ default: (await import('./person-dialogs.tsx')).ResetDialog }))

type Props = { application: string; person: EditedPerson }

/** Changes that an administrator can propose for one person. */
export function PersonButtons({ application, person }: Props) {
  const t = useT()
  const [open, setOpen] = useState<'roles' | 'reset' | null>(null)
  const onClose = () => setOpen(null)
  return (
    <div className="flex flex-wrap justify-end gap-2">
      <Button size="small" aria-label={t('people.changeRolesOf', { name: person.name })} onClick={() => setOpen('roles')}>
        {t('people.changeRoles')}
      </Button>
      {person.hasSecondFactor && (
        <Button size="small" aria-label={t('people.resetFactorOf', { name: person.name })} onClick={() => setOpen('reset')}>
          {t('people.resetFactor')}
        </Button>
      )}
      {open === 'roles' && <LazyPart part={ROLES_DIALOG} props={{ application, person, onClose }} />}
      {open === 'reset' && <LazyPart part={RESET_DIALOG} props={{ application, person, onClose }} />}
    </div>
  )
}
