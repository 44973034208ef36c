import { useState } from 'react'
import { TextField } from '#components/ui/field.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { JOURNAL_ACCOUNT_NAMES, type JournalCodes, journalCodesSchema } from '#lib/reconciliation/journal.ts'
import { walletText } from '#lib/reconciliation/wallet-words.ts'
import { WALLETS } from '#lib/reconciliation/wallets.ts'
import { ProposalDialog } from '../../../_components/changes/proposal-dialog.tsx'
import { useProposal } from '../../../_components/changes/use-proposal.ts'

type Props = { application: string; codes: JournalCodes; onClose: () => void }
/** What is wrong, by the name of the field. */
type Problems = Readonly<Record<string, MessageKey>>

/** Returns the form's values as the proposal has them, and which fields are wrong. */
function readForm(form: FormData): { problems: Problems; input: Record<string, unknown> } {
  const textOf = (name: string) => String(form.get(name) ?? '').trim()
  const wallets = WALLETS.map(({ wallet }) => [wallet, textOf(wallet)] as const).filter(([, code]) => code !== '')
  const input = {
    journal: textOf('journal'),
    accounts: Object.fromEntries(JOURNAL_ACCOUNT_NAMES.map((account) => [account, textOf(account)])),
    wallets: Object.fromEntries(wallets),
  }
  const issues = journalCodesSchema.safeParse(input).error?.issues ?? []
  const problems = issues.map(({ path }) => {
    const field = String(path.at(-1))
    return [field, field === 'journal' ? ('journal.wrong.journal' as const) : ('journal.wrong.code' as const)]
  })
  return { problems: Object.fromEntries(problems), input }
}

/** Proposes other accounts for the days that are signed from then on. */
export function AccountsDialog({ application, codes, onClose }: Props) {
  const { t } = useTranslations()
  const proposal = useProposal(application, onClose)
  const [wrong, setWrong] = useState<Problems>({})
  function submit(form: FormData) {
    const { problems, input } = readForm(form)
    setWrong(problems)
    if (Object.keys(problems).length === 0) proposal.propose('journal.accounts', input)
  }
  const field = (name: string, label: string, value: string) => (
    <TextField
      key={name}
      id={`account-${name}`}
      name={name}
      label={label}
      error={wrong[name] && t(wrong[name])}
      defaultValue={value}
      maxLength={13}
      autoComplete="off"
    />
  )
  const hasOwn = Object.keys(codes.wallets).length > 0
  return (
    <ProposalDialog
      title={t('journal.accounts')}
      proposal={proposal}
      onSubmit={submit}
      afterwards={t('journal.accountsText')}
      onClose={onClose}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        {field('journal', t('journal.journalCode'), codes.journal)}
        {JOURNAL_ACCOUNT_NAMES.map((account) => field(account, t(`journal.account.${account}`), codes.accounts[account]))}
      </div>
      <details open={hasOwn || WALLETS.some(({ wallet }) => wrong[wallet])}>
        <summary className="cursor-pointer text-ink-2">{t('journal.walletCodes')}</summary>
        <p className="mt-1 text-second text-quiet">{t('journal.walletCodesHint')}</p>
        <div className="mt-2 grid gap-4 sm:grid-cols-2">
          {WALLETS.map(({ wallet }) => field(wallet, walletText(t, wallet), codes.wallets[wallet] ?? ''))}
        </div>
      </details>
    </ProposalDialog>
  )
}
