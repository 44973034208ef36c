import type { ReactNode } from 'react'
import { OfflineBanner } from '#components/ui/offline-banner.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/paths.ts'
import type { Theme, Viewer } from '#lib/viewer.ts'
import { Brand } from './brand.tsx'
import { Later } from './later.tsx'
import { navigationFor } from './navigation.ts'
import { BottomBar, SideNavigation } from './side-navigation.tsx'
import { type FrameActions, SEARCH_ID, TopBar } from './top-bar.tsx'

type FrameProps = {
  t: Translate
  viewer: Viewer
  theme: Theme
  isSandbox: boolean
  actions: FrameActions
  /** The number of transactions that wait for this person's decision. */
  waitingBadge: ReactNode
  /** Tells the person about something that concerns their account; absent: nothing does. */
  accountNotice?: ReactNode
  children: ReactNode
}

const SKIP_LINK = 'sr-only z-50 rounded-sm bg-surface px-3 py-2 font-strong focus:not-sr-only focus:fixed focus:top-2 focus:left-2'

/** The frame around every page: navigation, top bar, notifications and keys. On paper: the application and the person. */
export function Frame({ t, viewer, theme, isSandbox, actions, waitingBadge, accountNotice, children }: FrameProps) {
  const application = viewer.application.slug
  const items = navigationFor(viewer.roles, isSandbox).flatMap((group) => group.items)
  const places = Object.fromEntries(items.flatMap((item) => (item.key ? [[item.key, item.href(application)]] : [])))
  return (
    <div className="md:grid md:grid-cols-[204px_minmax(0,1fr)] lg:grid-cols-[216px_minmax(0,1fr)] print:block">
      <a href="#content" className={SKIP_LINK}>
        {t('frame.skip')}
      </a>
      <a href="#list" className={`${SKIP_LINK} [body:not(:has(#list))_&]:hidden`}>
        {t('frame.skipToList')}
      </a>
      <a href="#approval-panel" className={`${SKIP_LINK} [body:not(:has(#approval-panel))_&]:hidden`}>
        {t('frame.skipToPanel')}
      </a>
      <aside className="no-print sticky top-0 hidden h-dvh flex-col gap-3 overflow-y-auto border-r border-line pb-6 md:flex">
        <a href={paths.overview(application)} className="flex h-13 shrink-0 items-center px-5">
          <Brand name={t('frame.product')} />
        </a>
        <SideNavigation t={t} application={application} roles={viewer.roles} isSandbox={isSandbox} waitingBadge={waitingBadge} />
      </aside>
      <div className="min-w-0">
        <OfflineBanner />
        <Later application={application} places={places} searchId={SEARCH_ID} />
        <TopBar t={t} viewer={viewer} theme={theme} isSandbox={isSandbox} actions={actions} />
        <main id="content" tabIndex={-1} className="px-4 pt-5 pb-36 md:px-6 md:pb-20 print:p-0">
          <p className="mb-3 hidden text-second print:block">
            {t('frame.product')} · {viewer.application.name} · {t('frame.printedBy', { name: viewer.name })}
          </p>
          {accountNotice}
          {children}
        </main>
      </div>
      <BottomBar t={t} application={application} roles={viewer.roles} isSandbox={isSandbox} waitingBadge={waitingBadge} />
    </div>
  )
}
