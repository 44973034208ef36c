import type { ReactNode } from 'react'
import { TimeText } from '#components/domain/time-text.tsx'
import { ActionForm } from '#components/ui/action-form.tsx'
import { Button, ButtonLink } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { Icon } from '#components/ui/display/icon.tsx'
import { OfflineBanner } from '#components/ui/online.tsx'
import { MENU_ITEM, MenuRule, Popover } from '#components/ui/overlay/popover.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import type { WaitingCounts } from '#lib/pages/waiting.ts'
import { can } from '#lib/people/permissions.ts'
import type { Theme, Viewer } from '#lib/people/viewer.ts'
import { Brand } from './brand.tsx'
import type { IntendedActions } from './later/intended-tray.tsx'
import { Later } from './later/later.tsx'
import { NavLink } from './nav-link.tsx'
import { bottomBarFor, moreFor, type NavigationItem, navigationFor, type Reader } from './navigation.ts'
import { type FrameActions, SEARCH_ID, TopBar } from './top-bar.tsx'
import { WaitingBadge } from './waiting-badge.tsx'

type FrameProps = {
  t: Translate
  viewer: Viewer
  theme: Theme
  isSandbox: boolean
  actions: FrameActions
  /** How people who decide take back what they validated. */
  intended: IntendedActions
  /** How much waits for this person. */
  waiting: WaitingCounts
  /** Tells the person about something that concerns their account; absent: nothing does. */
  accountNotice?: ReactNode
  children: ReactNode
}

const SKIP_LINK = 'sr-only z-50 rounded-sm bg-surface px-3 py-2 font-strong focus:not-sr-only focus:fixed focus:top-2 focus:left-2'

/** The frame around every page: navigation, top bar, notifications and keys. On paper: the application and the person. */
export function Frame({ t, viewer, theme, isSandbox, actions, intended, waiting, accountNotice, children }: FrameProps) {
  const application = viewer.application.slug
  const reader = { roles: viewer.roles, isSandbox, runsInstallation: viewer.application.runsInstallation }
  const pages = navigationFor(reader).flatMap(({ items }) =>
    items.map((item) => ({ label: t(item.label), href: item.href(application), ...(item.key ? { key: item.key } : {}) })),
  )
  return (
    <div className="md:grid md:grid-cols-[204px_minmax(0,1fr)] lg:grid-cols-[14rem_minmax(0,1fr)] print:block">
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
        <SideNavigation t={t} application={application} reader={reader} waiting={waiting} />
      </aside>
      <div className="min-w-0">
        <OfflineBanner />
        <Later
          application={application}
          pages={pages}
          mayPay={can(viewer.roles, 'transaction:create')}
          intended={can(viewer.roles, 'transaction:decide') ? intended : null}
          searchId={SEARCH_ID}
        />
        <TopBar t={t} viewer={viewer} theme={theme} isSandbox={isSandbox} actions={actions} />
        <main id="content" tabIndex={-1} className="px-4 pt-5 pb-36 md:px-6 md:pb-20 print:p-0">
          <p className="mb-3 hidden text-second print:block">
            {t('frame.product')} · {viewer.application.name} · {t('frame.printedBy', { name: viewer.name })}
          </p>
          {accountNotice}
          {children}
        </main>
      </div>
      <BottomBar t={t} application={application} reader={reader} waiting={waiting} />
    </div>
  )
}

type Props = { t: Translate; application: string; reader: Reader; waiting: WaitingCounts }

/** How much waits on the page of an item; of "Waiting for you", in all. */
function ItemBadge({ item, application, waiting }: { item: NavigationItem; application: string; waiting: WaitingCounts }) {
  if (item.id === 'waiting') return <WaitingBadge application={application} initial={waiting} />
  return item.counts ? <WaitingBadge application={application} page={item.counts} initial={waiting} /> : null
}

const SIDE_ITEM = `flex h-8 items-center gap-2 rounded-sm px-2 font-medium text-ink-2 hover:text-ink
  aria-[current=page]:bg-sunken aria-[current=page]:text-ink`

/** The pages this person may open, at the left of the window from tablet width up. */
function SideNavigation({ t, application, reader, waiting }: Props) {
  return (
    <nav aria-label={t('frame.navigation')} className="flex flex-col gap-5 px-3">
      {navigationFor(reader).map((group) => (
        <div key={group.heading ?? 'main'}>
          {group.heading && <p className="px-2 pb-1.5 text-second text-quiet">{t(group.heading)}</p>}
          <ul className="grid grid-cols-1 gap-0.5">
            {group.items.map((item) => (
              <li key={item.id}>
                <NavLink
                  href={item.href(application)}
                  isExact={item.id === 'overview'}
                  except={item.except?.(application)}
                  className={SIDE_ITEM}
                >
                  <Icon name={item.icon} />
                  <span className="min-w-0 flex-1 truncate">{t(item.label)}</span>
                  <ItemBadge item={item} application={application} waiting={waiting} />
                </NavLink>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}

const BOTTOM_ITEM = `relative flex h-14 w-full flex-col items-center justify-center gap-0.5 text-[11px] leading-4 font-medium text-ink-2
  aria-[current=page]:text-accent`

/** The four pages a role uses most, and a menu with all the others, at the foot of a phone's screen. */
function BottomBar({ t, application, reader, waiting }: Props) {
  return (
    <nav
      aria-label={t('frame.navigation')}
      className="no-print fixed inset-x-0 bottom-0 z-30 border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      <ul className="grid grid-cols-5">
        {bottomBarFor(reader.roles).map((item) => (
          <BottomItem key={item.id} t={t} item={item} application={application} waiting={waiting} />
        ))}
        <li>
          <MoreMenu t={t} application={application} reader={reader} waiting={waiting} />
        </li>
      </ul>
    </nav>
  )
}

type BottomItemProps = { t: Translate; item: NavigationItem; application: string; waiting: WaitingCounts }

function BottomItem({ t, item, application, waiting }: BottomItemProps) {
  return (
    <li>
      <NavLink href={item.href(application)} isExact={item.id === 'overview'} except={item.except?.(application)} className={BOTTOM_ITEM}>
        <Icon name={item.icon} className="size-5" />
        <span className="max-w-full truncate">{t(item.shortLabel ?? item.label)}</span>
        <span className="absolute top-1 left-1/2 ml-2 whitespace-nowrap">
          <ItemBadge item={item} application={application} waiting={waiting} />
        </span>
      </NavLink>
    </li>
  )
}

/** The rest of the navigation. Its links load the page from the server, which also closes the menu. */
function MoreMenu({ t, application, reader, waiting }: Props) {
  return (
    <Popover
      id="more-menu"
      align="end"
      triggerClass={BOTTOM_ITEM}
      panelClass="mr-2"
      trigger={
        <>
          <Icon name="more" className="size-5" />
          <span>{t('frame.more')}</span>
        </>
      }
    >
      {moreFor(reader).map((item) => (
        <a key={item.id} href={item.href(application)} className={MENU_ITEM}>
          <Icon name={item.icon} />
          <span className="flex-1">{t(item.label)}</span>
          <ItemBadge item={item} application={application} waiting={waiting} />
        </a>
      ))}
      {can(reader.roles, 'export:create') && (
        <a href={paths.exports(application)} className={MENU_ITEM}>
          <Icon name="download" />
          {t('transactions.exports')}
        </a>
      )}
      <MenuRule />
      <a href={paths.search(application)} className={MENU_ITEM}>
        <Icon name="search" />
        {t('frame.search')}
      </a>
      <a href={paths.settings(application)} className={MENU_ITEM}>
        <Icon name="settings" />
        {t('frame.settings')}
      </a>
    </Popover>
  )
}

type GuessedCodesProps = { t: Translate; application: string; at: Date; dismiss: (form: FormData) => Promise<void> }

/** Tells a person that somebody entered many wrong one-time codes for them, on every page until they answer. */
export function GuessedCodes({ t, application, at, dismiss }: GuessedCodesProps) {
  return (
    <div className="no-print mb-4">
      <Notice
        tone="bad"
        action={
          <div className="flex flex-wrap gap-2">
            <ButtonLink href={paths.settings(application)}>{t('frame.guessedChange')}</ButtonLink>
            <ActionForm action={dismiss}>
              <Button type="submit">{t('frame.guessedMine')}</Button>
            </ActionForm>
          </div>
        }
      >
        {t('frame.guessed')} <TimeText at={at.toISOString()} />. {t('frame.guessedAdvice')}
      </Notice>
    </div>
  )
}
