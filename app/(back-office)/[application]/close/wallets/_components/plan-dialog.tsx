import { Select, TextField } from '#components/ui/field.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { referenceKey } from '#lib/approvals/proposed-change.ts'
import { type BankAccountDto, bankAccountText, bankPlace } from '#lib/finance/treasury-dto.ts'
import { parseMinor, parseTypedAmount } from '#lib/money/money.ts'
import { walletText } from '#lib/reconciliation/wallet-words.ts'
import { WALLETS } from '#lib/reconciliation/wallets.ts'
import { ProposalDialog } from '../../../_components/changes/proposal-dialog.tsx'
import { useProposal } from '../../../_components/changes/use-proposal.ts'

export type PlanDialogProps = { application: string; accounts: readonly BankAccountDto[]; onClose: () => void }

/** The form of an own transfer, before it happens. */
export function PlanDialog({ application, accounts, onClose }: PlanDialogProps) {
  const { t, locale } = useTranslations()
  const proposal = useProposal(application, onClose)
  function submit(form: FormData) {
    const [from, to, typed, reference, note] = ['from', 'to', 'amount', 'reference', 'note'].map((name) =>
      String(form.get(name) ?? '').trim(),
    )
    const amount = parseTypedAmount(typed ?? '', locale)
    if (amount === undefined || !/[1-9]/.test(amount)) return proposal.setError(t('funding.amountWrong'))
    if (referenceKey(reference ?? '') === '') return proposal.setError(t('funding.referenceMissing'))
    proposal.propose('wallet.plan', { from, to, amountMinor: String(parseMinor(amount)), reference, note })
  }
  const places = (
    <>
      {WALLETS.map(({ wallet }) => (
        <option key={wallet} value={wallet}>
          {walletText(t, wallet)}
        </option>
      ))}
      {accounts.map((account) => (
        <option key={account.bankAccountId} value={bankPlace(account.bankAccountId)}>
          {`${bankAccountText(account)} (${account.currency})`}
        </option>
      ))}
    </>
  )
  return (
    <ProposalDialog
      title={t('treasury.planTransfer')}
      proposal={proposal}
      onSubmit={submit}
      afterwards={t('treasury.planAfterwards')}
      onClose={onClose}
    >
      <Select id="plan-from" name="from" label={t('treasury.from')}>
        {places}
      </Select>
      <Select id="plan-to" name="to" label={t('treasury.to')} defaultValue={WALLETS[1]?.wallet} hint={t('treasury.planHint')}>
        {places}
      </Select>
      <TextField id="plan-amount" name="amount" label={t('treasury.amount')} inputMode="decimal" autoComplete="off" maxLength={20} />
      <TextField
        id="plan-reference"
        name="reference"
        label={t('treasury.reference')}
        hint={t('funding.withdrawalHint')}
        autoComplete="off"
        maxLength={100}
      />
      <TextField id="plan-note" name="note" label={t('change.fact.note')} note={t('funding.optional')} autoComplete="off" maxLength={500} />
    </ProposalDialog>
  )
}
