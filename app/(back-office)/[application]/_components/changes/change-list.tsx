import type { ReactNode } from 'react'
import { TimeText } from '#components/domain/time-text.tsx'
import { Badge, type Tone } from '#components/ui/display/badge.tsx'
import { CHANGE_REFUSALS, isChangeRefusal } from '#lib/approvals/change-refusals.ts'
import { CHANGE_PERMISSIONS, type ChangeState, type ProposedChangeDto } from '#lib/approvals/proposed-change.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { rolesWith } from '#lib/people/permissions.ts'
import { BatchNotices } from './batch-notices.tsx'
import { ChangeButtons, ChangeDialogs, CollectButton } from './change-buttons.tsx'
import { ChangeDifference } from './change-difference.tsx'

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
  /** Describes a kind of change whose difference is more than a list of facts. */
  describe?: (change: ProposedChangeDto) => ReactNode
  /** The page is about its changes: those that were decided are shown at once. */
  isPage?: boolean
  /** They are changes of other applications, which are named. */
  isElsewhere?: boolean
}

/** The proposed changes that a page is about: what would change, who proposed it, and what became of it. Nothing if there are none. */
export function ChangeList({ t, locale, application, changes, describe, isPage = false, isElsewhere = false }: ListProps) {
  const open = changes.filter(isUnfinished)
  const decided = changes.filter((change) => !isUnfinished(change))
  if (changes.length === 0) return null
  const rowOf = (change: ProposedChangeDto) => (
    <ChangeRow
      key={change.changeId}
      t={t}
      locale={locale}
      application={application}
      change={change}
      isElsewhere={isElsewhere}
      description={describe ? describe(change) : <ChangeDifference t={t} locale={locale} change={change} />}
    />
  )
  return (
    <ChangeDialogs application={application}>
      <section aria-labelledby="changes" className="mt-6">
        <h2 id="changes">{t('change.title')}</h2>
        {open.length === 0 && <p className="mt-1 text-quiet">{t('change.noneOpen')}</p>}
        <BatchNotices t={t} locale={locale} changes={open} />
        <ul className="mt-2 grid gap-2">{open.map(rowOf)}</ul>
        {decided.length > 0 && (
          <details open={isPage} className="mt-3">
            <summary className="cursor-pointer text-ink-2">{t('change.decided', { count: decided.length })}</summary>
            <ul className="mt-2 grid gap-2">{decided.map(rowOf)}</ul>
          </details>
        )}
      </section>
    </ChangeDialogs>
  )
}

/** It waits for a decision, or for its proposer, who has not collected the secret that it makes. */
function isUnfinished({ state, collection }: ProposedChangeDto): boolean {
  return state === 'open' || collection === 'yours' || collection === 'others'
}

type RowProps = Pick<ListProps, 't' | 'locale' | 'application' | 'isElsewhere'> & { change: ProposedChangeDto; description: ReactNode }

function ChangeRow({ t, locale, application, change, isElsewhere, description }: RowProps) {
  const { changeId, kind, state, collection, proposedBy, decidedBy, decidedAt, reason } = change
  return (
    <li className="rounded-lg border border-line bg-surface p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="font-strong">{t(`change.kind.${kind}`)}</h3>
        <Badge tone={TONES[state]} hasDot>
          {t(`change.state.${state}`)}
        </Badge>
        {isElsewhere && <span className="wrap-anywhere text-quiet">{change.application.name}</span>}
      </div>
      {description}
      <p className="mt-2 text-second text-quiet">
        {t('change.proposedBy', { name: proposedBy.name })} <TimeText at={change.proposedAt} />
        {state === 'open' && (
          <>
            {' · '}
            {t('change.expires')} <TimeText at={change.expiresAt} />
          </>
        )}
        {decidedBy && decidedAt && state !== 'withdrawn' && (
          <>
            {' · '}
            {t('change.decidedBy', { name: decidedBy.name })} <TimeText at={decidedAt} />
          </>
        )}
      </p>
      {reason && <p className="mt-1">{t('change.reasonIs', { reason })}</p>}
      {collection === 'yours' && <CollectButton application={application} changeId={changeId} />}
      {collection && collection !== 'yours' && (
        <p className="mt-2 text-quiet">{t(`change.collection.${collection}`, { name: proposedBy.name })}</p>
      )}
      {state === 'open' && (
        <ChangeButtons application={application} change={change} description={description} whyNot={whyNot(t, locale, change)} />
      )}
    </li>
  )
}

/** Why the viewer does not confirm a change that waits; null if they may. */
function whyNot(t: Translate, locale: Locale, { kind, mayDecide, obstacle, isDecidedElsewhere }: ProposedChangeDto): string | null {
  const deciding = rolesWith(CHANGE_PERMISSIONS[kind].confirm).map((role) => t(`role.${role}`))
  const roles = new Intl.ListFormat(locale, { type: 'disjunction' }).format(deciding)
  if (mayDecide === 'own_proposal' && isDecidedElsewhere) return t('change.waitsForInstallation')
  if (mayDecide === 'own_proposal') return t('change.waitsForAnother', { roles })
  if (mayDecide === 'about_you') return t('change.aboutYou')
  if (mayDecide === 'not_permitted') return t('change.decidedByRoles', { roles })
  if (obstacle === null) return null
  return t(isChangeRefusal(obstacle) ? CHANGE_REFUSALS[obstacle] : 'change.refusedByRule')
}
