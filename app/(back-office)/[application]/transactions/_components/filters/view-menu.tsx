import { useState } from 'react'
import { useToday } from '#components/domain/time-text.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Icon } from '#components/ui/display/icon.tsx'
import { Link } from '#components/ui/link.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { CHIP, closePopover, MENU_ITEM, MenuHeading, Popover } from '#components/ui/overlay/popover.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { paths, toQuery } from '#lib/pages/paths.ts'
import { isFiltered, type TransactionQuery, toAddressValues, withoutFilters } from '#lib/payments/transaction-list.ts'
import { refusalText } from '#lib/result.ts'
import { presetRange } from '#lib/time/time.ts'
import { deleteView } from '../../actions.ts'
import type { View } from '../use-transaction-list.ts'

const SaveViewDialog = onDemand(async () => (await import('./save-view-dialog.tsx')).SaveViewDialog)

/** Returns the filters of a list without its page, as stored in a view. */
function viewQueryOf(query: TransactionQuery): string {
  return toQuery(toAddressValues({ ...query, page: 0 })).replace(/^\?/, '')
}

/** The built-in views, those that this person saved, and those that others share. Only their owner changes or deletes them. */
export function ViewMenu({ application, query, views }: { application: string; query: TransactionQuery; views: readonly View[] }) {
  const t = useT()
  const today = useToday()
  const present = viewQueryOf(query)
  const base = withoutFilters({ ...query, sort: 'newest' })
  const usual: { label: MessageKey; query: TransactionQuery }[] = [
    { label: 'transactions.views.all', query: base },
    { label: 'transactions.views.today', query: { ...base, ...presetRange('today', today) } },
    { label: 'transactions.views.failedToday', query: { ...base, status: ['FAILED'], ...presetRange('today', today) } },
    { label: 'transactions.views.waiting', query: { ...base, status: ['PENDING_APPROVAL'] } },
    { label: 'transactions.views.unconfirmed', query: { ...base, unconfirmed: '1' } },
  ]
  const [changed, setChanged] = useState<View | null>(null)
  const own = views.filter((view) => view.sharedBy === null)
  const shared = views.filter((view) => view.sharedBy !== null)
  const saved = views.find((view) => view.query === present)
  const known = usual.find((view) => viewQueryOf(view.query) === present)
  const name = saved?.name ?? (known ? t(known.label) : t('transactions.views.own'))
  const { run: remove } = useAction(({ viewId }: View) => deleteView(application, { viewId }), {
    words: {},
    refreshes: 'done',
    onDone: (_, [view]) => toast(t('transactions.views.deleted', { name: view.name })),
    onRefused: (code) => toast(refusalText(t, code, {}), 'bad'),
  })
  return (
    <Popover
      id="view-menu"
      triggerClass={CHIP}
      panelClass="w-64"
      trigger={
        <>
          <span>{t('transactions.view')}</span> <span className="font-strong text-ink">{name}</span>
          <Icon name="chevron" className="-mr-1 size-3.5 text-ink-3" />
        </>
      }
    >
      {usual.map((view) => (
        <Link
          key={view.label}
          onClick={closePopover}
          href={paths.transactions(application, toAddressValues(view.query))}
          aria-current={view === known || undefined}
          className={MENU_ITEM}
        >
          {t(view.label)}
        </Link>
      ))}
      {own.length > 0 && <MenuHeading>{t('transactions.views.yours')}</MenuHeading>}
      {own.map((view) => (
        <div key={view.viewId} className="flex items-center gap-1">
          <ViewLink
            application={application}
            view={view}
            isCurrent={view === saved}
            note={view.isShared && t('transactions.views.shared')}
          />
          <ViewButton icon="settings" label={t('transactions.views.change', { name: view.name })} onPress={() => setChanged(view)} />
          <ViewButton icon="close" label={t('transactions.views.delete', { name: view.name })} onPress={() => remove(view)} />
        </div>
      ))}
      {shared.length > 0 && <MenuHeading>{t('transactions.views.ofOthers')}</MenuHeading>}
      {shared.map((view) => (
        <ViewLink key={view.viewId} application={application} view={view} isCurrent={view === saved} note={view.sharedBy} />
      ))}
      {changed && <SaveViewDialog application={application} query={changed.query} view={changed} onClose={() => setChanged(null)} />}
    </Popover>
  )
}

type Props = {
  application: string
  view: View
  isCurrent: boolean /** Below the name: who shares it. */
  note: string | false | null
}

function ViewLink({ application, view, isCurrent, note }: Props) {
  return (
    <Link
      onClick={closePopover}
      href={`${paths.transactions(application)}${view.query ? `?${view.query}` : ''}`}
      aria-current={isCurrent || undefined}
      className={`${MENU_ITEM} min-w-0 flex-1`}
    >
      <span className="min-w-0">
        <span dir="auto" className="block truncate">
          {view.name}
        </span>
        {note && (
          <span dir="auto" className="block truncate text-second text-quiet">
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

/** Saves the current filters as a view. Not shown without filters. */
export function SaveViewButton({ application, query }: { application: string; query: TransactionQuery }) {
  const t = useT()
  const [isOpen, setIsOpen] = useState(false)
  if (!isFiltered(query)) return null
  return (
    <>
      <button
        type="button"
        onClick={() => setIsOpen(true)}
        className="rounded-sm px-1 py-1 text-second text-ink-2 hover:text-ink hover:underline"
      >
        {t('transactions.views.save')}
      </button>
      {isOpen && <SaveViewDialog application={application} query={viewQueryOf(query)} view={null} onClose={() => setIsOpen(false)} />}
    </>
  )
}
