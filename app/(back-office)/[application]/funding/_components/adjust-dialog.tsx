import { useState } from 'react'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { ADJUSTMENT_CHANGES } from '#lib/approvals/proposed-change.ts'
import { parseMinor, parseTypedAmount } from '#lib/money/money.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionDetailDto } from '#lib/payments/transactions/transaction-dto.ts'
import { EvidenceFields, FeesField } from '../../_components/changes/adjustment-fields.tsx'
import { ProposalDialog } from '../../_components/changes/proposal-dialog.tsx'
import { useProposal } from '../../_components/changes/use-proposal.ts'

type AdjustmentChange = (typeof ADJUSTMENT_CHANGES)[number]
/** The fees that an application has earned at an operator and that can be taken out. */
type EarnedFees = { applicationName: string; operator: OperatorCode; earned: string }
type AdjustedTransaction = Pick<TransactionDetailDto, 'transactionId' | 'status' | 'operator'>
/** `ledger`: the application whose books change. */
export type AdjustDialogProps = {
  application: string
  ledger: string
  subject: AdjustedTransaction | EarnedFees
  onClose: () => void
}

/** The form of an adjustment. A default export, because it is loaded on demand. */
export default function AdjustDialog({ application, ledger, subject, onClose }: AdjustDialogProps) {
  const { t, locale } = useTranslations()
  const proposal = useProposal(application, onClose)
  const [kind, setKind] = useState<AdjustmentChange>(kindsOf(subject)[0])
  const isOfFees = 'earned' in subject
  const [problems, setProblems] = useState({ amount: false, evidence: false })
  const hasAmount = kind === 'adjustment.concede' || kind === 'adjustment.fees_out'
  function submit(form: FormData) {
    const textOf = (name: string) => String(form.get(name) ?? '').trim()
    const [amount, evidence] = [parseTypedAmount(textOf('amount'), locale) ?? '0', textOf('evidence')]
    const found = { amount: hasAmount && !/[1-9]/.test(amount), evidence: evidence === '' }
    setProblems(found)
    if (found.amount || found.evidence) return
    const amountMinor = `${textOf('direction') === 'take' ? '-' : ''}${parseMinor(amount)}`
    proposal.propose(kind, {
      ledger,
      evidence,
      note: textOf('note'),
      ...('earned' in subject ? { operator: subject.operator } : { transactionId: subject.transactionId }),
      ...(hasAmount && { amountMinor }),
      ...(kind === 'adjustment.concede' && { account: textOf('account') }),
      ...(kind === 'adjustment.late' && { waivesFees: textOf('fees') === 'waived' }),
    })
  }
  return (
    <ProposalDialog
      title={t(isOfFees ? 'funding.takeFees' : 'funding.adjust')}
      proposal={proposal}
      submitLabel={t('funding.adjustSubmit')}
      afterwards={t(isOfFees ? 'funding.feesAfterwards' : 'funding.adjustAfterwards')}
      onSubmit={submit}
      onClose={onClose}
    >
      {'earned' in subject ? <Earned subject={subject} /> : <KindFields kinds={kindsOf(subject)} kind={kind} onKind={setKind} />}
      {hasAmount && (
        <TextField
          id="adjust-amount"
          name="amount"
          label={t('funding.amountIn', { currency: OPERATORS[subject.operator].country.currency })}
          error={problems.amount ? t('funding.amountWrong') : undefined}
          inputMode="decimal"
          autoComplete="off"
          maxLength={20}
        />
      )}
      <EvidenceFields isMissing={problems.evidence} />
    </ProposalDialog>
  )
}

/** Whose fees, and how much of them may be taken out. */
function Earned({ subject: { applicationName, operator, earned } }: { subject: EarnedFees }) {
  const { t } = useTranslations()
  return (
    <div className="grid gap-1">
      <p className="wrap-anywhere">
        <bdi>{applicationName}</bdi> · <OperatorMark code={operator} />
      </p>
      <p className="text-quiet">
        {t('funding.feesEarned')} <Money amount={earned} currency={OPERATORS[operator].country.currency} />
      </p>
    </div>
  )
}

type KindProps = { kinds: readonly AdjustmentChange[]; kind: AdjustmentChange; onKind: (kind: AdjustmentChange) => void }

/** The kind of adjustment of a transaction and what belongs to it. */
function KindFields({ kinds, kind, onKind }: KindProps) {
  const { t } = useTranslations()
  return (
    <>
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
      {kind === 'adjustment.late' && <FeesField />}
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

/** The adjustments that are possible: of a transaction, by how it ended. */
function kindsOf(subject: AdjustDialogProps['subject']): readonly [AdjustmentChange, ...AdjustmentChange[]] {
  if ('earned' in subject) return ['adjustment.fees_out']
  return subject.status === 'SUCCESS' ? ['adjustment.reverse', 'adjustment.concede'] : ['adjustment.late', 'adjustment.concede']
}
