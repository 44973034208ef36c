import type { ReactNode } from 'react'
import { Icon } from '#components/ui/icon.tsx'
import { MENU_ITEM, MenuRule, Popover } from '#components/ui/popover.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/paths.ts'
import { can, type Role } from '#lib/permissions.ts'
import { NavLink } from './nav-link.tsx'
import { bottomBarFor, moreFor, type NavigationItem, navigationFor } from './navigation.ts'

type Props = { t: Translate; application: string; roles: readonly Role[]; isSandbox: boolean; waitingBadge: ReactNode }

const SIDE_ITEM = `flex h-8 items-center gap-3 rounded-sm px-2 font-medium text-ink-2 hover:text-ink
  aria-[current=page]:bg-sunken aria-[current=page]:text-ink`

/** The pages this person may open, at the left of the window from tablet width up. */
export function SideNavigation({ t, application, roles, isSandbox, waitingBadge }: Props) {
  return (
    <nav aria-label={t('frame.navigation')} className="flex flex-col gap-5 px-3">
      {navigationFor(roles, isSandbox).map((group) => (
        <div key={group.heading ?? 'main'}>
          {group.heading && <p className="px-2 pb-1.5 text-second text-quiet">{t(group.heading)}</p>}
          <ul className="grid gap-0.5">
            {group.items.map((item) => (
              <li key={item.id}>
                <NavLink href={item.href(application)} isExact={item.id === 'overview'} className={SIDE_ITEM}>
                  <Icon name={item.icon} />
                  <span className="flex-1">{t(item.label)}</span>
                  {item.id === 'approvals' && waitingBadge}
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
export function BottomBar({ t, application, roles, isSandbox, waitingBadge }: Props) {
  return (
    <nav
      aria-label={t('frame.navigation')}
      className="no-print fixed inset-x-0 bottom-0 z-30 border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      <ul className="grid grid-cols-5">
        {bottomBarFor(roles).map((item) => (
          <BottomItem key={item.id} t={t} item={item} application={application} badge={item.id === 'approvals' ? waitingBadge : null} />
        ))}
        <li>
          <MoreMenu t={t} application={application} roles={roles} isSandbox={isSandbox} waitingBadge={waitingBadge} />
        </li>
      </ul>
    </nav>
  )
}

function BottomItem({ t, item, application, badge }: { t: Translate; item: NavigationItem; application: string; badge: ReactNode }) {
  return (
    <li>
      <NavLink href={item.href(application)} isExact={item.id === 'overview'} className={BOTTOM_ITEM}>
        <Icon name={item.icon} className="size-5" />
        <span className="max-w-full truncate">{t(item.shortLabel ?? item.label)}</span>
        {badge && <span className="absolute top-1 left-1/2 ml-2 whitespace-nowrap">{badge}</span>}
      </NavLink>
    </li>
  )
}

/** The rest of the navigation. Its links load the page from the server, which also closes the menu. */
function MoreMenu({ t, application, roles, isSandbox, waitingBadge }: Props) {
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
      {moreFor(roles, isSandbox).map((item) => (
        <a key={item.id} href={item.href(application)} className={MENU_ITEM}>
          <Icon name={item.icon} />
          <span className="flex-1">{t(item.label)}</span>
          {item.id === 'approvals' && waitingBadge}
        </a>
      ))}
      {can(roles, 'export:create') && (
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
