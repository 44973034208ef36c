import { Suspense } from 'react'
import type { ProposedChangeDto } from '#lib/approvals/proposed-change.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { matchingRulesSchema } from '#lib/reconciliation/matching-rules.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { replayRules } from '#server/reconciliation/matching/replay-rules.ts'
import type { SetWallet } from '#server/reconciliation/wallets/wallet-store.ts'
import { ChangeDifference } from '../../../../_components/changes/change-difference.tsx'
import { ChangeList } from '../../../../_components/changes/change-list.tsx'
import { ReplaySection } from './replay-section.tsx'

type Props = {
  t: Translate
  locale: Locale
  application: string
  applicationId: string
  wallet: SetWallet
  changes: readonly ProposedChangeDto[]
}

/** The proposed changes of a wallet; of matching rules that wait, also what they would have done in the last 90 days. */
export function WalletChanges({ t, locale, application, applicationId, wallet, changes }: Props) {
  const { reportPool, clock } = backOfficeRuntime()
  function replayOf({ kind, state, after }: ProposedChangeDto) {
    const proposed = kind === 'matching.rules' && state === 'open' ? matchingRulesSchema.safeParse(after).data : undefined
    return (
      proposed && (
        <Suspense fallback={<p className="mt-3 text-quiet">{t('matching.replaying')}</p>}>
          <ReplaySection
            t={t}
            locale={locale}
            application={application}
            wallet={wallet.wallet}
            currency={OPERATORS[wallet.operator].country.currency}
            reading={replayRules(reportPool, { applicationId, wallet, proposed, now: clock.now() })}
          />
        </Suspense>
      )
    )
  }
  return (
    <ChangeList
      t={t}
      locale={locale}
      application={application}
      changes={changes.filter(({ subject }) => subject === wallet.wallet)}
      describe={(change) => (
        <>
          <ChangeDifference t={t} locale={locale} change={change} />
          {replayOf(change)}
        </>
      )}
    />
  )
}
