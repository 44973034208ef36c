import { ButtonLink } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { paths } from '#lib/pages/paths.ts'
import { getT } from '#server/back-office/preferences.ts'

export default async function Forbidden() {
  const t = await getT()
  return (
    <EmptyState
      icon="shield"
      title={<h1>{t('state.forbiddenTitle')}</h1>}
      text={t('state.forbiddenText')}
      action={<ButtonLink href={paths.home()}>{t('state.home')}</ButtonLink>}
    />
  )
}
