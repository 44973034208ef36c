import { TimeText } from '#components/domain/time-text.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { Table, TableCard, Td, Th, Tr } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import type { Result } from '#lib/result.ts'
import type { PolicyReplay, ReplayFailure, ReplaySide } from '#lib/rules/rule-finding.ts'
import { formatCount } from '#lib/text/format.ts'

type Props = { t: Translate; locale: Locale; application: string; reading: Promise<Result<PolicyReplay, ReplayFailure>> }

/** Both versions over the transactions of the last 90 days. Rendered when the report has been read. */
export async function ReplaySection({ t, locale, application, reading }: Props) {
  const replay = await reading
  if (!replay.ok) {
    return (
      <div className="mt-2">
        <Notice tone="wait">{t(`rules.replay.failed.${replay.error}`)}</Notice>
      </div>
    )
  }
  const { value } = replay
  const { active, proposed } = value
  return (
    <div className="mt-2 grid gap-4">
      <p>
        {t('rules.replay.lead', { count: value.transactions })} <TimeText at={value.from} style="day" /> –{' '}
        <TimeText at={value.to} style="day" />
      </p>
      <p className="font-strong">{t('rules.replay.sum', { count: proposed.items, active: formatCount(active.items, locale) })}</p>
      <p>
        {t('rules.replay.changed', {
          newly: value.newlyStopped,
          no: value.noLongerStopped,
          stricter: value.stricter,
          milder: value.milder,
        })}
      </p>
      <NeedsTable t={t} locale={locale} active={active} proposed={proposed} />
      {value.makers.length > 0 && <MakersTable t={t} locale={locale} replay={value} />}
      <Estimate t={t} locale={locale} replay={value} />
      <Shortages t={t} application={application} replay={value} />
    </div>
  )
}

function NeedsTable({ t, locale, active, proposed }: { t: Translate; locale: Locale; active: ReplaySide; proposed: ReplaySide }) {
  const keys = [...new Set([...active.needs, ...proposed.needs].map(({ needed, needsCode }) => `${needed}${needsCode ? '+' : ''}`))].sort()
  if (keys.length === 0) return null
  const find = (side: ReplaySide, key: string) => side.needs.find(({ needed, needsCode }) => `${needed}${needsCode ? '+' : ''}` === key)
  return (
    <TableCard label={t('rules.replay.byNeeds')}>
      <Table
        caption={t('rules.replay.byNeeds')}
        head={
          <>
            <Th>{t('rules.replay.needs')}</Th>
            <Th align="end">{t('rules.replay.active', { version: active.version })}</Th>
            <Th align="end">{t('rules.replay.proposed', { version: proposed.version })}</Th>
            <Th align="end">{t('rules.replay.wait')}</Th>
          </>
        }
      >
        {keys.map((key) => {
          const [before, after] = [find(active, key), find(proposed, key)]
          const needed = t('rules.sentence.checkers', { count: Number.parseInt(key, 10) })
          return (
            <Tr key={key}>
              <Td>{key.endsWith('+') ? `${needed}, ${t('rules.sentence.code')}` : needed}</Td>
              <Td align="end">{formatCount(before?.items ?? 0, locale)}</Td>
              <Td align="end">{formatCount(after?.items ?? 0, locale)}</Td>
              <Td align="end">{waitText(t, (after ?? before)?.waitMs ?? null)}</Td>
            </Tr>
          )
        })}
      </Table>
    </TableCard>
  )
}

function MakersTable({ t, locale, replay }: { t: Translate; locale: Locale; replay: PolicyReplay }) {
  return (
    <TableCard label={t('rules.replay.forWhom')}>
      <Table
        caption={t('rules.replay.forWhom')}
        head={
          <>
            <Th>{t('rules.replay.maker')}</Th>
            <Th align="end">{t('rules.replay.active', { version: replay.active.version })}</Th>
            <Th align="end">{t('rules.replay.proposed', { version: replay.proposed.version })}</Th>
            <Th align="end">{t('rules.replay.wait')}</Th>
          </>
        }
      >
        {replay.makers.map((maker) => (
          <Tr key={maker.name}>
            <Td>{maker.name ?? t('rules.replay.program')}</Td>
            <Td align="end">{formatCount(maker.itemsActive, locale)}</Td>
            <Td align="end">{formatCount(maker.itemsNew, locale)}</Td>
            <Td align="end">{waitText(t, maker.waitMs)}</Td>
          </Tr>
        ))}
      </Table>
    </TableCard>
  )
}

function Estimate({ t, locale, replay }: { t: Translate; locale: Locale; replay: PolicyReplay }) {
  const count = replay.observed.reduce((sum, each) => sum + each.count, 0)
  return (
    <p className="text-second text-quiet">
      {count === 0 ? t('rules.replay.noEstimate') : t('rules.replay.estimate', { decided: formatCount(count, locale) })}{' '}
      {t('rules.replay.limits')}
    </p>
  )
}

function Shortages({ t, application, replay: { shortages, proposed } }: { t: Translate; application: string; replay: PolicyReplay }) {
  if (shortages.length === 0) return proposed.items === 0 ? null : <p>{t('rules.replay.allDecidable')}</p>
  return (
    <section aria-labelledby="shortages">
      <h3 id="shortages" className="font-strong text-bad">
        {t('rules.replay.shortages', { count: shortages.reduce((sum, { items }) => sum + items, 0) })}
      </h3>
      <ul className="mt-1 grid gap-2">
        {shortages.map((shortage) => {
          const { rules, needed, available, needsCode, maker, items, transactionIds } = shortage
          return (
            <li key={JSON.stringify([rules, maker, needed, needsCode])}>
              {t(needsCode ? 'rules.replay.shortageCode' : 'rules.replay.shortage', { count: items, needed, available })}
              {maker !== null && ` ${t('rules.replay.shortageOf', { name: maker })}`}
              {rules.length > 0 && ` (${rules.join(' + ')})`}{' '}
              {transactionIds.map((id, index) => (
                <Link key={id} href={paths.transaction(application, id)} className="mr-2 text-second underline">
                  {t('rules.blocked.open', { number: index + 1 })}
                </Link>
              ))}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Returns an estimated wait, no more exact than it can be: minutes, hours or days. */
function waitText(t: Translate, waitMs: number | null): string {
  if (waitMs === null) return '–'
  if (waitMs >= 2 * DAY_MS) return t('rules.wait.days', { count: Math.round(waitMs / DAY_MS) })
  if (waitMs >= 2 * HOUR_MS) return t('rules.wait.hours', { count: Math.round(waitMs / HOUR_MS) })
  return t('rules.wait.minutes', { count: Math.max(1, Math.round(waitMs / MINUTE_MS)) })
}
