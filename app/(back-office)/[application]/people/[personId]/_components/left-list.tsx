import type { ReactNode } from 'react'
import { Money } from '#components/domain/money.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { Link } from '#components/ui/link.tsx'
import type { LeftBehind, LeftChange, LeftItem } from '#lib/approvals/blocked-items.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import type { Role } from '#lib/people/permissions.ts'

type Props = { t: Translate; application: string; left: LeftBehind }

/** Items that would have no one left to decide them, with the remedy for each. */
export function LeftList({ t, application, left }: Props) {
  const { items, itemCount, proposals, onlyTheyConfirm, draftCount, batchDraftCount } = left
  if (itemCount + proposals.length + onlyTheyConfirm.length + draftCount + batchDraftCount === 0)
    return <p className="text-quiet">{t('people.nothingLeft')}</p>
  return (
    <div className="grid gap-4">
      {itemCount > 0 && (
        <Group title={t('people.left.items', { count: itemCount })} advice={t('people.left.itemsAdvice')}>
          {items.map((item) => (
            <Item key={`${item.id} ${item.currency}`} t={t} application={application} item={item} />
          ))}
          {itemCount > items.length && <li className="text-quiet">{t('people.left.more', { count: itemCount - items.length })}</li>}
        </Group>
      )}
      {proposals.length > 0 && (
        <Group title={t('people.left.proposals', { count: proposals.length })} advice={t('people.left.proposalsAdvice')}>
          <Changes t={t} changes={proposals} />
        </Group>
      )}
      {onlyTheyConfirm.length > 0 && (
        <Group title={t('people.left.onlyThey', { count: onlyTheyConfirm.length })} advice={t('people.left.onlyTheyAdvice')}>
          <Changes t={t} changes={onlyTheyConfirm} />
        </Group>
      )}
      {draftCount + batchDraftCount > 0 && (
        <Group
          title={[
            ...(draftCount > 0 ? [t('people.left.drafts', { count: draftCount })] : []),
            ...(batchDraftCount > 0 ? [t('people.left.batchDrafts', { count: batchDraftCount })] : []),
          ].join(' · ')}
          advice={t('people.left.draftsAdvice')}
        />
      )}
    </div>
  )
}

function Group({ title, advice, children }: { title: string; advice: string; children?: ReactNode }) {
  return (
    <div>
      <h3 className="font-strong">{title}</h3>
      <p className="text-second text-quiet">{advice}</p>
      {children && <ul className="mt-2 grid gap-1.5">{children}</ul>}
    </div>
  )
}

function Item({ t, application, item }: { t: Translate; application: string; item: LeftItem }) {
  const isBatch = item.kind === 'batch'
  return (
    <li className="flex flex-wrap items-baseline gap-x-3">
      <Link
        href={isBatch ? paths.batchApproval(application, item.id) : paths.transaction(application, item.id)}
        className="font-medium text-accent wrap-anywhere hover:underline"
      >
        {item.name || t('people.left.batch', { count: item.rowCount })}
      </Link>
      <Money amount={item.amount} currency={item.currency} />
      <span className="text-second text-quiet">
        {isBatch && item.name && `${t('people.left.batch', { count: item.rowCount })} · `}
        {t('people.left.needs', { needed: item.needed, others: item.others })} · {t('change.expires')} <TimeText at={item.expiresAt} />
      </span>
    </li>
  )
}

function Changes({ t, changes }: { t: Translate; changes: readonly LeftChange[] }) {
  return changes.map(({ changeId, kind, expiresAt }) => (
    <li key={changeId}>
      {t(`change.kind.${kind}`)}{' '}
      <span className="text-second text-quiet">
        {t('change.expires')} <TimeText at={expiresAt} />
      </span>
    </li>
  ))
}

/** A member as the dialog for removing and suspending shows it. */
export type LeavingPerson = { personId: string; name: string; roles: readonly Role[]; isActive: boolean; isSuspended: boolean }
