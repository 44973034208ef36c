import { useState } from 'react'
import { OperatorOptions } from '#components/domain/operator-mark.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { FUNDING_KINDS, referenceKey } from '#lib/approvals/proposed-change.ts'
import type { BankAccountDto } from '#lib/finance/treasury-dto.ts'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { parseMinor, parseTypedAmount } from '#lib/money/money.ts'
import { OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { DocumentField, type ReadFile } from '../../_components/changes/document-field.tsx'
import { ProposalDialog } from '../../_components/changes/proposal-dialog.tsx'
import { useProposal } from '../../_components/changes/use-proposal.ts'
import { BankAccountOptions } from './bank-account-options.tsx'

type FundingKind = (typeof FUNDING_KINDS)[number]
export type ProposeDialogProps = { application: string; accounts: readonly BankAccountDto[]; onClose: () => void }
type Problems = Partial<Record<'amount' | 'reference' | 'file', MessageKey>>

/** The form of a funding. A default export, because it is loaded on demand. */
export default function ProposeDialog({ application, accounts, onClose }: ProposeDialogProps) {
  const { t, locale } = useTranslations()
  const proposal = useProposal(application, onClose)
  const [kind, setKind] = useState<FundingKind>('funding.pay_in')
  const [operator, setOperator] = useState<OperatorCode>(OPERATOR_CODES[0])
  const [document, setDocument] = useState<ReadFile | null>(null)
  const [problems, setProblems] = useState<Problems>({})
  const { currency } = OPERATORS[operator].country
  const [isWithdrawal, needsDocument] = [kind === 'funding.withdrawal', kind === 'funding.pay_in' || kind === 'funding.correction']
  function submit(form: FormData) {
    const textOf = (name: string) => String(form.get(name) ?? '').trim()
    const [amount, reference] = [parseTypedAmount(textOf('amount'), locale) ?? '0', textOf('reference')]
    const found: Problems = {
      ...(!/[1-9]/.test(amount) && { amount: 'funding.amountWrong' }),
      ...(referenceKey(reference) === '' && { reference: 'funding.referenceMissing' }),
      ...(needsDocument && document === null && { file: 'funding.fileMissing' }),
    }
    setProblems(found)
    if (Object.keys(found).length > 0) return
    if (isWithdrawal && textOf('bankAccountId') === '') return proposal.setError(t('funding.noBankAccount', { currency }))
    const amountMinor = `${textOf('direction') === 'take' ? '-' : ''}${parseMinor(amount)}`
    // Fields of some kinds alone.
    const own = Object.fromEntries(['account', 'bankAccountId'].flatMap((name) => (form.has(name) ? [[name, textOf(name)]] : [])))
    proposal.propose(kind, { operator, ...own, amountMinor, reference, note: textOf('note'), document })
  }
  return (
    <ProposalDialog
      title={t('funding.new')}
      proposal={proposal}
      submitLabel={t('funding.submit')}
      afterwards={t('funding.afterwards')}
      onSubmit={submit}
      onClose={onClose}
    >
      <KindFields kind={kind} onKind={setKind} operator={operator} onOperator={setOperator} />
      {isWithdrawal && <BankAccountOptions accounts={accounts} currency={currency} present={null} />}
      <TextField
        id="funding-amount"
        name="amount"
        label={t('funding.amountIn', { currency })}
        error={problems.amount && t(problems.amount)}
        inputMode="decimal"
        autoComplete="off"
        maxLength={20}
      />
      <TextField
        id="funding-reference"
        name="reference"
        label={t('change.fact.reference')}
        hint={t(isWithdrawal ? 'funding.withdrawalHint' : 'funding.referenceHint')}
        error={problems.reference && t(problems.reference)}
        autoComplete="off"
        maxLength={100}
      />
      <DocumentField
        label={t('funding.file')}
        {...(needsDocument ? {} : { note: t('funding.optional') })}
        hint={t('funding.fileHint')}
        error={problems.file && t(problems.file)}
        onRead={setDocument}
      />
      <TextField
        id="funding-note"
        name="note"
        label={t('change.fact.note')}
        note={t('funding.optional')}
        autoComplete="off"
        maxLength={500}
      />
    </ProposalDialog>
  )
}

type KindProps = {
  kind: FundingKind
  onKind: (kind: FundingKind) => void
  operator: OperatorCode
  onOperator: (operator: OperatorCode) => void
}

/** The kind of funding and its operator; for a correction or a withdrawal also the balance, and the direction of a correction. */
function KindFields({ kind, onKind, operator, onOperator }: KindProps) {
  const { t } = useTranslations()
  return (
    <>
      <Select
        id="funding-kind"
        name="kind"
        label={t('funding.kind')}
        value={kind}
        onChange={({ target }) => onKind(FUNDING_KINDS.find((each) => each === target.value) ?? kind)}
      >
        {FUNDING_KINDS.map((each) => (
          <option key={each} value={each}>
            {t(`change.kind.${each}`)}
          </option>
        ))}
      </Select>
      <Select
        id="funding-operator"
        name="operator"
        label={t('funding.operator')}
        value={operator}
        onChange={({ target }) => onOperator(OPERATOR_CODES.find((each) => each === target.value) ?? operator)}
      >
        <OperatorOptions />
      </Select>
      {(kind === 'funding.correction' || kind === 'funding.withdrawal') && (
        <div className="grid gap-4 sm:grid-cols-2">
          <Select
            key={kind}
            id="funding-account"
            name="account"
            label={t('funding.account')}
            defaultValue={kind === 'funding.correction' ? 'deposit' : 'collect'}
          >
            <option value="collect">{t('change.fact.collect')}</option>
            <option value="deposit">{t('change.fact.deposit')}</option>
          </Select>
          {kind === 'funding.correction' && (
            <Select id="funding-direction" name="direction" label={t('funding.direction')} defaultValue="add">
              <option value="add">{t('funding.add')}</option>
              <option value="take">{t('funding.take')}</option>
            </Select>
          )}
        </div>
      )}
    </>
  )
}
