'use client'

import { Notice } from '#components/ui/empty-state.tsx'
import { useT } from '#components/ui/translations.tsx'
import { paths } from '#lib/paths.ts'

/** Why a form was refused. If the session has ended, with a link that leads back to this page after signing in. */
export function ErrorNotice({ error }: { error: string }) {
  const t = useT()
  return (
    <Notice
      tone="bad"
      action={
        error === t('action.unauthenticated') && (
          <a href={paths.signIn(location.pathname + location.search)} className="underline">
            {t('frame.signIn')}
          </a>
        )
      }
    >
      {error}
    </Notice>
  )
}
