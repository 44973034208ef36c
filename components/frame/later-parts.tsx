'use client'

import { PrintedAt } from '#components/ui/printed-at.tsx'
import { Toaster } from '#components/ui/toaster.tsx'
import { LinkGuard } from './link-guard.tsx'
import { LiveUpdates } from './live-updates.tsx'
import { Shortcuts } from './shortcuts.tsx'
import { usePageUse } from './use-page-use.ts'

export type LaterProps = { application: string; places: Readonly<Record<string, string>>; searchId: string }

/** What the frame does once a page is shown. `Later` loads it after the first paint. */
export function LaterParts({ application, places, searchId }: LaterProps) {
  usePageUse(application)
  return (
    <>
      <LiveUpdates application={application} />
      <LinkGuard />
      <PrintedAt />
      <Shortcuts places={places} searchId={searchId} />
      <Toaster />
    </>
  )
}
