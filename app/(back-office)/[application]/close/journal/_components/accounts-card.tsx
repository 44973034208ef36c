import { Card, Facts } from '#components/ui/display/card.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { JOURNAL_ACCOUNT_NAMES, type JournalCodes } from '#lib/reconciliation/journal.ts'
import { walletText } from '#lib/reconciliation/wallet-words.ts'
import { AccountsButton } from './accounts-button.tsx'

type Props = { t: Translate; application: string; codes: JournalCodes; mayChange: boolean }

/** The accounts of the chart that are valid now. */
export function AccountsCard({ t, application, codes, mayChange }: Props) {
  const own = Object.entries(codes.wallets)
  return (
    <section className="mt-6 max-w-2xl" aria-labelledby="journal-accounts">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="journal-accounts">{t('journal.accounts')}</h2>
        {mayChange && <AccountsButton application={application} codes={codes} />}
      </div>
      <p className="mt-1 text-ink-2">{t('journal.accountsText')}</p>
      <div className="mt-2">
        <Card>
          <Facts
            nameClass="w-44"
            facts={[
              { name: t('journal.journalCode'), value: codes.journal },
              ...JOURNAL_ACCOUNT_NAMES.map((account) => ({ name: t(`journal.account.${account}`), value: codes.accounts[account] })),
              {
                name: t('journal.walletCodes'),
                value:
                  own.length === 0
                    ? t('journal.walletCodesNone')
                    : own.map(([wallet, code]) => `${walletText(t, wallet)}: ${code}`).join(' · '),
              },
            ]}
          />
        </Card>
      </div>
    </section>
  )
}
