import { Notice } from '#components/ui/display/empty-state.tsx'
import { useT } from '#components/ui/translations.tsx'
import { paths } from '#lib/pages/paths.ts'
import type { InvitationRefusal } from '#lib/people/sign-in.ts'

/** Why a link does not work, and the way to the sign-in page. */
export function RefusedLink({ refusal }: { refusal: InvitationRefusal | 'incomplete' | 'offline' }) {
  const t = useT()
  return (
    <div className="mt-4 grid gap-4">
      <Notice tone="bad">{t(`invitation.refusal.${refusal}`)}</Notice>
      <a className="text-accent hover:underline" href={paths.signIn()}>
        {t('invitation.toSignIn')}
      </a>
    </div>
  )
}
