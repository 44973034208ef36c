import { useState } from 'react'
import { useAction } from '#components/form/use-action.tsx'
import { Icon } from '#components/ui/display/icon.tsx'
import { Link } from '#components/ui/link.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { CHIP, closePopover, MENU_ITEM, MenuHeading, Popover } from '#components/ui/overlay/popover.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import type { MonthlySending, SavedView, ViewList } from '#lib/people/saved-views.ts'
import { refusalText } from '#lib/result.ts'
import { deleteView } from '../../../../actions/saved-views.ts'

const SaveViewDialog = onDemand(async () => (await import('./save-view-dialog.tsx')).SaveViewDialog)

/** A view that everybody has. */
export type UsualView = { label: string; query: string }

/**
 * The list whose views these are; `query`: the query string of its address, without a page; `path`: the address without it; `monthly`: how a month
 * of a view is sent, null where views are not.
 */
type ListProps = { application: string; list: ViewList; path: string; query: string; monthly: MonthlySending | null }

/** The built-in views, those that this person saved, and those that others share. Only their owner changes or deletes them. */
export function ViewMenu({
  usual,
  views,
  ...props
}: ListProps & {
  usual: readonly UsualView[]
  views: readonly SavedView[]
}) {
  const t = useT()
  const { application, list, path, query, monthly } = props
  const [changed, setChanged] = useState<SavedView | null>(null)
  const own = views.filter((view) => view.sharedBy === null)
  const shared = views.filter((view) => view.sharedBy !== null)
  const saved = views.find((view) => view.query === query)
  const known = usual.find((view) => view.query === query)
  const { run: remove } = useAction(({ viewId }: SavedView) => deleteView(application, { viewId }), {
    words: {},
    refreshes: 'done',
    onDone: (_, [view]) => toast(t('views.deleted', { name: view.name })),
    onRefused: (code) => toast(refusalText(t, code, {}), 'bad'),
  })
  return (
    <Popover
      id="view-menu"
      triggerClass={CHIP}
      panelClass="w-64"
      trigger={
        <>
          <span>{t('views.view')}</span> <span className="font-strong text-ink">{saved?.name ?? known?.label ?? t('views.own')}</span>
          <Icon name="chevron" className="-mr-1 size-3.5 text-ink-3" />
        </>
      }
    >
      {usual.map((view) => (
        <Link
          key={view.label}
          onClick={closePopover}
          href={hrefOf(path, view.query)}
          aria-current={view === known || undefined}
          className={MENU_ITEM}
        >
          {view.label}
        </Link>
      ))}
      {own.length > 0 && <MenuHeading>{t('views.yours')}</MenuHeading>}
      {own.map((view) => (
        <div key={view.viewId} className="flex items-center gap-1">
          <ViewLink path={path} view={view} isCurrent={view === saved} note={effectsOf(t, view)} />
          <ViewButton icon="settings" label={t('views.change', { name: view.name })} onPress={() => setChanged(view)} />
          <ViewButton icon="close" label={t('views.delete', { name: view.name })} onPress={() => remove(view)} />
        </div>
      ))}
      {shared.length > 0 && <MenuHeading>{t('views.ofOthers')}</MenuHeading>}
      {shared.map((view) => (
        <ViewLink key={view.viewId} path={path} view={view} isCurrent={view === saved} note={view.sharedBy} />
      ))}
      {changed && (
        <SaveViewDialog {...{ application, list, monthly }} query={changed.query} view={changed} onClose={() => setChanged(null)} />
      )}
    </Popover>
  )
}

/** The effects of an own view beyond showing its page. */
function effectsOf(t: Translate, { isShared, isSentMonthly }: SavedView): string {
  return [isSentMonthly && t('views.sentMonthly'), isShared && t('views.shared')].filter(Boolean).join(' · ')
}

function hrefOf(path: string, query: string): string {
  return query ? `${path}?${query}` : path
}

type Props = {
  path: string
  view: SavedView
  isCurrent: boolean /** Below the name: who shares it, or what it does for its owner. */
  note: string | null
}

function ViewLink({ path, view, isCurrent, note }: Props) {
  return (
    <Link
      onClick={closePopover}
      href={hrefOf(path, view.query)}
      aria-current={isCurrent || undefined}
      className={`${MENU_ITEM} min-w-0 flex-1`}
    >
      <span className="min-w-0">
        <span dir="auto" className="block truncate">
          {view.name}
        </span>
        {note && (
          <span dir="auto" className="block wrap-anywhere text-second text-quiet">
            {note}
          </span>
        )}
      </span>
    </Link>
  )
}

function ViewButton({ icon, label, onPress }: { icon: 'settings' | 'close'; label: string; onPress: () => void }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={onPress}
      className="flex size-7 shrink-0 items-center justify-center rounded-sm text-ink-2 hover:bg-sunken"
    >
      <Icon name={icon} className="size-3.5" />
    </button>
  )
}

/** Saves the present address of the list as a view. */
export function SaveViewButton(props: Omit<ListProps, 'path'>) {
  const t = useT()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        onClick={() => setIsOpen(true)}
        className="rounded-sm px-1 py-1 text-second text-ink-2 hover:text-ink hover:underline"
      >
        {t('views.save')}
      </button>
      {isOpen && <SaveViewDialog {...props} view={null} onClose={() => setIsOpen(false)} />}
    </>
  )
}
