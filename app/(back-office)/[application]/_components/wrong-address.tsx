import { ButtonLink } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { getT } from '#server/back-office/preferences.ts'
import { notePageStatus } from '#server/http/door/pages/page-notes.ts'

/** Shown for an address with a date that does not exist or a text that cannot be searched. `href` is the page without filters. */
export async function WrongAddress({ href }: { href: string }) {
  const t = await getT()
  notePageStatus(400)
  return (
    <EmptyState
      icon="alert"
      title={<h1>{t('refusal.addressTitle')}</h1>}
      text={t('refusal.addressText')}
      action={<ButtonLink href={href}>{t('refusal.addressAction')}</ButtonLink>}
    />
  )
}
