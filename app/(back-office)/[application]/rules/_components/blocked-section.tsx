import { RelativeTime, TimeText } from '#components/domain/time-text.tsx'
import { Link } from '#components/ui/link.tsx'
import type { BlockedGroup, BlockedItems, Unblock } from '#lib/blocked-items.ts'
import { moneyText } from '#lib/format.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/paths.ts'

/** Groups that a page shows; more would not be read. */
const SHOWN_MAX = 20

type Props = { t: Translate; locale: Locale; application: string; blocked: BlockedItems }

/** What waits and no present person can decide, with what would unblock it. Nothing if there is none. */
export function BlockedSection({ t, locale, application, blocked }: Props) {
  if (blocked.count === 0) return null
  return (
    <section aria-labelledby="blocked" className="mt-6">
      <h2 id="blocked">{t('rules.blocked.title', { count: blocked.count })}</h2>
      <p className="text-ink-2">{t('rules.blocked.lead')}</p>
      <ul className="mt-2 grid gap-2">
        {blocked.groups.slice(0, SHOWN_MAX).map((group) => (
          <li key={`${group.batch?.batchId} ${group.transactionIds[0]}`} className="rounded-lg border border-line bg-surface p-4">
            <Group t={t} locale={locale} application={application} group={group} />
          </li>
        ))}
      </ul>
      {blocked.groups.length > SHOWN_MAX && (
        <p className="mt-2 text-quiet">{t('rules.blocked.more', { count: blocked.groups.length - SHOWN_MAX })}</p>
      )}
    </section>
  )
}

function Group({ t, locale, application, group }: Omit<Props, 'blocked'> & { group: BlockedGroup }) {
  const { maker, batch, sums, missing, available, needsCode, transactionIds } = group
  const from = maker === null ? t('rules.blocked.ofProgram') : t('rules.blocked.of', { name: maker })
  const title = batch ? t('rules.blocked.batch', { name: batch.name ?? batch.batchId }) : t('rules.blocked.items', { count: group.count })
  return (
    <>
      <h3 className="font-strong wrap-anywhere">
        {title} {from} · {sums.map((sum) => moneyText(sum, locale)).join(' · ')}
      </h3>
      <p className="mt-1">
        {t(needsCode ? 'rules.blocked.whyCode' : 'rules.blocked.why', { missing, count: available })}{' '}
        <span className="text-quiet">
          {t('rules.blocked.since')} <RelativeTime at={group.oldestAt} /> · {t('rules.blocked.expires')} <TimeText at={group.expiresAt} />
        </span>
      </p>
      <p className="mt-2 font-medium">{t('rules.blocked.ways')}</p>
      <ul className="ml-5 list-disc">
        {group.unblock.map((way) => (
          <li key={way.kind} className="wrap-anywhere">
            {wayText(t, way)}
          </li>
        ))}
      </ul>
      <p className="mt-2 flex flex-wrap gap-x-4 text-second">
        {batch ? (
          <Link href={paths.batchApproval(application, batch.batchId)} className="underline">
            {t('rules.blocked.openBatch')}
          </Link>
        ) : (
          transactionIds.map((id, index) => (
            <Link key={id} href={paths.transaction(application, id)} className="underline">
              {transactionIds.length === 1 ? t('rules.blocked.openOnly') : t('rules.blocked.open', { number: index + 1 })}
            </Link>
          ))
        )}
      </p>
    </>
  )
}

function wayText(t: Translate, way: Unblock): string {
  switch (way.kind) {
    case 'add_checkers':
      return t('rules.unblock.add_checkers', { count: way.count })
    case 'recall':
      return t('rules.unblock.recall', { name: way.name })
    default:
      return t(`rules.unblock.${way.kind}`, { names: way.names.join(', ') })
  }
}
