import { ButtonLink } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { paths } from '#lib/pages/paths.ts'
import { getT } from '#server/back-office/preferences.ts'

export default async function NotFound() {
  const t = await getT()
  return (
    <EmptyState
      icon="search"
      title={<h1>{t('state.notFoundTitle')}</h1>}
      text={t('state.notFoundText')}
      action={<ButtonLink href={paths.home()}>{t('state.home')}</ButtonLink>}
    />
  )
}
