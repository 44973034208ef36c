import type { ReactNode } from 'react'
import { TimeText } from '#components/domain/time-text.tsx'
import { Badge, type Tone } from '#components/ui/badge.tsx'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import type { ChangeState, ProposedChangeDto } from '#lib/proposed-change.ts'
import { ChangeButtons } from './change-buttons.tsx'
import { ChangeDifference } from './change-difference.tsx'
import { CollectButton } from './collect-button.tsx'

const TONES: Readonly<Record<ChangeState, Tone>> = {
  open: 'wait',
  confirmed: 'ok',
  refused: 'bad',
  withdrawn: 'neutral',
  expired: 'neutral',
}

type ListProps = {
  t: Translate
  locale: Locale
  application: string
  changes: readonly ProposedChangeDto[]
  /** Shows a difference that is more than a list of facts. */
  differenceOf?: (change: ProposedChangeDto) => ReactNode
}

/** The proposed changes that a page is about: what would change, who proposed it, and what became of it. Nothing if there are none. */
export function ChangeList({ t, locale, application, changes, differenceOf }: ListProps) {
  const open = changes.filter(isUnfinished)
  const decided = changes.filter((change) => !isUnfinished(change))
  if (changes.length === 0) return null
  return (
    <section aria-labelledby="changes" className="mt-6">
      <h2 id="changes">{t('change.title')}</h2>
      {open.length === 0 && <p className="mt-1 text-quiet">{t('change.noneOpen')}</p>}
      <ul className="mt-2 grid gap-2">
        {open.map((change) => (
          <ChangeRow key={change.changeId} t={t} locale={locale} application={application} change={change} differenceOf={differenceOf} />
        ))}
      </ul>
      {decided.length > 0 && (
        <details className="mt-3">
          <summary className="cursor-pointer text-ink-2">{t('change.decided', { count: decided.length })}</summary>
          <ul className="mt-2 grid gap-2">
            {decided.map((change) => (
              <ChangeRow
                key={change.changeId}
                t={t}
                locale={locale}
                application={application}
                change={change}
                differenceOf={differenceOf}
              />
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

/** It waits for a decision, or for its proposer, who has not collected the secret that it makes. */
function isUnfinished({ state, collection }: ProposedChangeDto): boolean {
  return state === 'open' || collection === 'yours' || collection === 'others'
}

type RowProps = Omit<ListProps, 'changes' | 'differenceOf'> & { change: ProposedChangeDto; differenceOf: ListProps['differenceOf'] }

function ChangeRow({ t, locale, application, change, differenceOf }: RowProps) {
  return (
    <li className="rounded-lg border border-line bg-surface p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="font-strong">{t(`change.kind.${change.kind}`)}</h3>
        <Badge tone={TONES[change.state]} hasDot>
          {t(`change.state.${change.state}`)}
        </Badge>
      </div>
      {differenceOf ? differenceOf(change) : <ChangeDifference t={t} locale={locale} change={change} />}
      <p className="mt-2 text-second text-quiet">
        {t('change.proposedBy', { name: change.proposedBy.name })} <TimeText at={change.proposedAt} />
        {change.state === 'open' && (
          <>
            {' · '}
            {t('change.expires')} <TimeText at={change.expiresAt} />
          </>
        )}
        {change.decidedBy && change.decidedAt && change.state !== 'withdrawn' && (
          <>
            {' · '}
            {t('change.decidedBy', { name: change.decidedBy.name })} <TimeText at={change.decidedAt} />
          </>
        )}
      </p>
      {change.reason && <p className="mt-1">{t('change.reasonIs', { reason: change.reason })}</p>}
      {change.collection === 'yours' && <CollectButton application={application} changeId={change.changeId} />}
      {change.collection && change.collection !== 'yours' && (
        <p className="mt-2 text-quiet">{t(`change.collection.${change.collection}`, { name: change.proposedBy.name })}</p>
      )}
      {change.state === 'open' && (
        <ChangeButtons
          application={application}
          changeId={change.changeId}
          mayDecide={change.mayDecide}
          personId={change.kind === 'person.roles' ? change.subject : null}
        />
      )}
    </li>
  )
}
