import { SectionHead } from '#components/ui/display/page.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import type { BankAccountDto, TreasuryDto } from '#lib/finance/treasury-dto.ts'
import { bankAccountText } from '#lib/finance/treasury-dto.ts'
import { formatAmount } from '#lib/text/format.ts'
import type { Words } from './transit-section.tsx'
import { AddAccountButton, MinimumButton, RemoveAccountButton } from './treasury-buttons.tsx'

type AccountsProps = Words & Pick<TreasuryDto, 'accounts' | 'minimums'> & { mayPropose: boolean }

/** The bank accounts that withdrawals may go to, and the smallest amounts. */
export function AccountsSection({ t, locale, application, accounts, minimums, mayPropose }: AccountsProps) {
  const minimumOf = (currency: string) => {
    const found = minimums.find((each) => each.currency === currency)
    return found ? t('treasury.minimumOf', { amount: `${formatAmount(found.minimum, locale)} ${currency}` }) : t('treasury.minimumNone')
  }
  return (
    <div className="mt-8">
      <SectionHead id="accounts" title={t('treasury.accounts')} text={t('treasury.accountsLead')}>
        {mayPropose && (
          <>
            <MinimumButton application={application} />
            <AddAccountButton application={application} />
          </>
        )}
      </SectionHead>
      {accounts.length === 0 ? (
        <p className="mt-2 text-quiet">{t('treasury.noAccounts')}</p>
      ) : (
        <ListTable
          label={t('treasury.accounts')}
          className="mt-3"
          isList
          rows={accounts}
          keyOf={({ bankAccountId }) => bankAccountId}
          columns={[
            { head: t('treasury.holder'), cell: ({ holder }) => holder },
            { head: t('treasury.bank'), cell: ({ bank }) => bank },
            { head: t('treasury.number'), cellClass: 'tabular whitespace-nowrap', cell: ({ maskedNumber }) => maskedNumber },
            { head: t('treasury.currency'), cell: ({ currency }) => currency },
            { head: t('treasury.minimum'), isLabelled: true, cell: ({ currency }) => minimumOf(currency) },
            ...(mayPropose
              ? [
                  {
                    head: t('treasury.actions'),
                    align: 'end' as const,
                    cell: (account: BankAccountDto) => (
                      <RemoveAccountButton
                        application={application}
                        bankAccountId={account.bankAccountId}
                        account={bankAccountText(account)}
                      />
                    ),
                  },
                ]
              : []),
          ]}
        />
      )}
    </div>
  )
}
