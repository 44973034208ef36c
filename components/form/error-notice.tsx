import { Notice } from '#components/ui/display/empty-state.tsx'
import { useT } from '#components/ui/translations.tsx'
import { paths } from '#lib/pages/paths.ts'

/** Why a form was refused. If the session has ended, with a link to sign in in another window: the form keeps what was typed. */
export function ErrorNotice({ error }: { error: string }) {
  const t = useT()
  return (
    <Notice
      tone="bad"
      action={
        error === t('action.unauthenticated') && (
          <a href={paths.signIn(location.pathname + location.search)} target="_blank" rel="noreferrer" className="underline">
            {t('frame.signIn')}
          </a>
        )
      }
    >
      {error}
    </Notice>
  )
}
