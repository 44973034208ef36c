import { TimeText } from '#components/domain/time-text.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import type { AuditEntryDto } from '#lib/people/audit-actions.ts'
import { actorWords, describeAct, detailLines } from '#lib/people/audit-words.ts'

type Props = { t: Translate; application: string; entries: readonly AuditEntryDto[]; memberIds: ReadonlySet<string> }

const COLUMNS =
  '@min-[720px]/audit:grid @min-[720px]/audit:grid-cols-[10rem_minmax(8rem,12rem)_minmax(0,1fr)_9.5rem] @min-[720px]/audit:gap-x-3'

/** Entries as sentences; before and after unfold. Where there is no room for columns, as on a phone, each is a block of lines. */
export function AuditList({ t, application, entries, memberIds }: Props) {
  return (
    <section aria-label={t('frame.audit')} className="@container/audit rounded-lg border border-line bg-surface">
      <div aria-hidden="true" className={`hidden h-9 items-center border-b border-line px-3 text-second font-medium text-quiet ${COLUMNS}`}>
        <span>{t('audit.when')}</span>
        <span>{t('audit.who')}</span>
        <span>{t('audit.what')}</span>
        <span>{t('audit.where')}</span>
      </div>
      <ol>
        {entries.map((entry) => (
          <li key={entry.sequence} className={`border-b border-line px-3 py-2 last:border-b-0 ${COLUMNS}`}>
            <TimeText at={entry.at} style="full" className="text-second text-quiet" />
            <p className="wrap-anywhere">{actorWords(t, entry.actor)}</p>
            <What t={t} entry={entry} href={subjectPath(application, entry, memberIds)} />
            <p className="text-second text-quiet tabular wrap-anywhere">
              {entry.address && <span className="sr-only">{t('audit.where')}: </span>}
              {entry.address}
            </p>
          </li>
        ))}
      </ol>
    </section>
  )
}

function What({ t, entry, href }: { t: Translate; entry: AuditEntryDto; href: string | null }) {
  const sentence = describeAct(t, entry)
  const lines = detailLines(t, entry)
  return (
    <div className="min-w-0 wrap-anywhere">
      {href ? (
        <Link href={href} className="text-accent hover:underline">
          {sentence}
        </Link>
      ) : (
        <p>{sentence}</p>
      )}
      {lines.length > 0 && (
        <details className="text-second">
          <summary className="cursor-pointer text-quiet">
            {t('audit.details')}
            <span className="sr-only">
              {' '}
              {t('audit.number')} {entry.sequence}
            </span>
          </summary>
          <dl className="mt-1 grid gap-1">
            {lines.map(({ name, before, value }) => (
              <div key={name} className="flex flex-wrap gap-x-3">
                <dt className="w-40 shrink-0 text-quiet">{name}</dt>
                <dd className="min-w-0 flex-1">
                  {before !== null && (
                    <>
                      <span className="sr-only">{t('audit.before')}: </span>
                      <del className="text-quiet">{before}</del>
                      <span aria-hidden="true" className="mx-1.5 text-ink-3">
                        →
                      </span>
                      <span className="sr-only">{t('audit.after')}: </span>
                    </>
                  )}
                  {value}
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </div>
  )
}

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/

/** The page of what an entry is about; null if there is none. */
function subjectPath(application: string, { action, subject }: AuditEntryDto, memberIds: ReadonlySet<string>): string | null {
  if (!UUID.test(subject)) return null
  if (memberIds.has(subject)) return paths.person(application, subject)
  if (action.startsWith('transaction.') || action.startsWith('webhook.')) return paths.transaction(application, subject)
  if (action.startsWith('batch.') && action !== 'batch.discarded') return paths.batch(application, subject)
  return null
}
