import { Notice } from '#components/ui/display/empty-state.tsx'
import { Select } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { type BankAccountDto, bankAccountText } from '#lib/finance/treasury-dto.ts'
import type { Currency } from '#lib/money/money.ts'

type Props = { accounts: readonly BankAccountDto[]; currency: Currency; present: string | null }

/** The bank accounts in a currency to choose from, or what to do if there is none. */
export function BankAccountOptions({ accounts, currency, present }: Props) {
  const t = useT()
  const fitting = accounts.filter((account) => account.currency === currency)
  if (fitting.length === 0) return <Notice tone="wait">{t('funding.noBankAccount', { currency })}</Notice>
  return (
    <Select id="treasury-account" name="bankAccountId" label={t('funding.bankAccount')} defaultValue={present ?? fitting[0]?.bankAccountId}>
      {fitting.map((account) => (
        <option key={account.bankAccountId} value={account.bankAccountId}>
          {bankAccountText(account)}
        </option>
      ))}
    </Select>
  )
}
