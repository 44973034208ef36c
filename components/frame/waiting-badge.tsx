'use client'

import { useQuery } from '@tanstack/react-query'
import { CountBadge } from '#components/ui/display/badge.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { queries } from '#lib/pages/queries.ts'
import { formatCount } from '#lib/text/format.ts'

const REFRESH_MS = 30_000
const SHOWN_MAX = 999

/** How many transactions wait for this person's decision, beside the navigation item, refreshed regularly. `initial` is the server's count. */
export function WaitingBadge({ application, initial }: { application: string; initial: number }) {
  const { t, locale } = useTranslations()
  const { data } = useQuery({
    ...queries.waiting(application),
    initialData: { count: initial },
    refetchInterval: REFRESH_MS,
  })
  if (data.count === 0) return null
  const shown = data.count > SHOWN_MAX ? `${SHOWN_MAX}+` : formatCount(data.count, locale)
  return <CountBadge count={shown} label={t('frame.waitingForYou', { count: data.count })} />
}
