import { ButtonLink } from '#components/ui/button.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths, type QueryValues } from '#lib/paths.ts'

type Props = { t: Translate; application: string; filter: QueryValues; newer: string | null; older: string | null }

/** The pages before and after. An address names the entry at its edge, so it shows the same entries tomorrow. */
export function CursorLinks({ t, application, filter, newer, older }: Props) {
  if (newer === null && older === null) return null
  return (
    <nav aria-label={t('audit.pages')} className="no-print flex justify-end gap-2">
      {newer !== null && <ButtonLink href={paths.audit(application, { ...filter, after: newer })}>{t('audit.newer')}</ButtonLink>}
      {older !== null && <ButtonLink href={paths.audit(application, { ...filter, before: older })}>{t('audit.older')}</ButtonLink>}
    </nav>
  )
}
