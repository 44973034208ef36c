'use client'

import { useQuery } from '@tanstack/react-query'
import { CountBadge } from '#components/ui/display/badge.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { queries } from '#lib/pages/queries.ts'
import type { WaitingCounts, WaitingPage } from '#lib/pages/waiting.ts'
import { formatCount } from '#lib/text/format.ts'

const REFRESH_MS = 30_000
const SHOWN_MAX = 999

type Props = {
  application: string
  /** The page whose share is shown; absent: everything that waits, which is also what is read again regularly. */
  page?: WaitingPage
  /** The server's counts. */
  initial: WaitingCounts
}

/** How much waits for this person, beside an item of the navigation. Nothing if nothing does. */
export function WaitingBadge({ application, page, initial }: Props) {
  const { t, locale } = useTranslations()
  const { data } = useQuery({
    ...queries.waiting(application),
    initialData: initial,
    ...(page === undefined ? { refetchInterval: REFRESH_MS } : {}),
  })
  const count = page === undefined ? data.count : (data.pages[page] ?? 0)
  if (count === 0) return null
  const shown = count > SHOWN_MAX ? `${SHOWN_MAX}+` : formatCount(count, locale)
  return <CountBadge count={shown} label={t('frame.waitingForYou', { count })} tone={page === undefined ? 'accent' : 'neutral'} />
}
