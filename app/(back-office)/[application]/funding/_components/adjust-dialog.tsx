import { useState } from 'react'
import { OperatorOptions } from '#components/domain/operator-mark.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { ADJUSTMENT_CHANGES } from '#lib/approvals/proposed-change.ts'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { parseMinor, parseTypedAmount } from '#lib/money/money.ts'
import { OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionDetailDto } from '#lib/payments/transactions/transaction-dto.ts'
import { ProposalDialog } from '../../_components/changes/proposal-dialog.tsx'
import { useProposal } from '../../_components/changes/use-proposal.ts'

type AdjustmentChange = (typeof ADJUSTMENT_CHANGES)[number]
/** `ledger`: the application whose books change. `transaction`: the one that is adjusted; null: its fees are taken out. */
export type AdjustDialogProps = {
  application: string
  ledger: string
  transaction: Pick<TransactionDetailDto, 'transactionId' | 'status' | 'operator'> | null
  onClose: () => void
}
type Problems = Partial<Record<'amount' | 'evidence', MessageKey>>

/** The form of an adjustment. A default export, because it is loaded on demand. */
export default function AdjustDialog({ application, ledger, transaction, onClose }: AdjustDialogProps) {
  const { t, locale } = useTranslations()
  const proposal = useProposal(application, onClose)
  const [kind, setKind] = useState<AdjustmentChange>(kindsOf(transaction)[0])
  const [operator, setOperator] = useState<OperatorCode>(transaction?.operator ?? OPERATOR_CODES[0])
  const [problems, setProblems] = useState<Problems>({})
  const hasAmount = kind === 'adjustment.concede' || kind === 'adjustment.fees_out'
  function submit(form: FormData) {
    const textOf = (name: string) => String(form.get(name) ?? '').trim()
    const [amount, evidence] = [parseTypedAmount(textOf('amount'), locale) ?? '0', textOf('evidence')]
    const found: Problems = {
      ...(hasAmount && !/[1-9]/.test(amount) && { amount: 'funding.amountWrong' }),
      ...(evidence === '' && { evidence: 'funding.evidenceMissing' }),
    }
    setProblems(found)
    if (Object.keys(found).length > 0) return
    const amountMinor = `${textOf('direction') === 'take' ? '-' : ''}${parseMinor(amount)}`
    proposal.propose(kind, {
      ledger,
      evidence,
      note: textOf('note'),
      ...(transaction ? { transactionId: transaction.transactionId } : { operator }),
      ...(hasAmount && { amountMinor }),
      ...(kind === 'adjustment.concede' && { account: textOf('account') }),
      ...(kind === 'adjustment.late' && { waivesFees: textOf('fees') === 'waived' }),
    })
  }
  return (
    <ProposalDialog
      title={t(transaction === null ? 'funding.takeFees' : 'funding.adjust')}
      proposal={proposal}
      submitLabel={t('funding.adjustSubmit')}
      afterwards={t('funding.adjustAfterwards')}
      onSubmit={submit}
      onClose={onClose}
    >
      <KindFields transaction={transaction} kind={kind} onKind={setKind} operator={operator} onOperator={setOperator} />
      {hasAmount && (
        <TextField
          id="adjust-amount"
          name="amount"
          label={t('funding.amountIn', { currency: OPERATORS[operator].country.currency })}
          error={problems.amount && t(problems.amount)}
          inputMode="decimal"
          autoComplete="off"
          maxLength={20}
        />
      )}
      <TextField
        id="adjust-evidence"
        name="evidence"
        label={t('funding.evidence')}
        hint={t('funding.evidenceHint')}
        error={problems.evidence && t(problems.evidence)}
        autoComplete="off"
        maxLength={200}
      />
      <TextField
        id="adjust-note"
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
  transaction: AdjustDialogProps['transaction']
  kind: AdjustmentChange
  onKind: (kind: AdjustmentChange) => void
  operator: OperatorCode
  onOperator: (operator: OperatorCode) => void
}

/** The kind of adjustment and what belongs to it; where fees are taken out, the operator. */
function KindFields({ transaction, kind, onKind, operator, onOperator }: KindProps) {
  const { t } = useTranslations()
  const kinds = kindsOf(transaction)
  return (
    <>
      {transaction === null ? (
        <Select
          id="adjust-operator"
          name="operator"
          label={t('funding.operator')}
          value={operator}
          onChange={({ target }) => onOperator(OPERATOR_CODES.find((each) => each === target.value) ?? operator)}
        >
          <OperatorOptions />
        </Select>
      ) : (
        <Select
          id="adjust-kind"
          name="kind"
          label={t('funding.adjustKind')}
          value={kind}
          onChange={({ target }) => onKind(kinds.find((each) => each === target.value) ?? kind)}
        >
          {kinds.map((each) => (
            <option key={each} value={each}>
              {t(`change.kind.${each}`)}
            </option>
          ))}
        </Select>
      )}
      {kind === 'adjustment.late' && (
        <Select id="adjust-fees" name="fees" label={t('change.fact.fees')} defaultValue="taken">
          <option value="taken">{t('change.fact.fees')}</option>
          <option value="waived">{t('funding.waivesFees')}</option>
        </Select>
      )}
      {kind === 'adjustment.concede' && <Goodwill />}
    </>
  )
}

/** The balance that goodwill changes, and the direction. */
function Goodwill() {
  const { t } = useTranslations()
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Select id="adjust-account" name="account" label={t('funding.account')} defaultValue="collect">
        <option value="collect">{t('change.fact.collect')}</option>
        <option value="deposit">{t('change.fact.deposit')}</option>
      </Select>
      <Select id="adjust-direction" name="direction" label={t('funding.direction')} defaultValue="add">
        <option value="add">{t('funding.add')}</option>
        <option value="take">{t('funding.take')}</option>
      </Select>
    </div>
  )
}

/** The adjustments that are possible, by how the transaction ended. */
function kindsOf(transaction: AdjustDialogProps['transaction']): readonly [AdjustmentChange, ...AdjustmentChange[]] {
  if (transaction === null) return ['adjustment.fees_out']
  return transaction.status === 'SUCCESS' ? ['adjustment.reverse', 'adjustment.concede'] : ['adjustment.late', 'adjustment.concede']
}
