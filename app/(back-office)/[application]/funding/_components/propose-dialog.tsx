import { type FormEvent, useState } from 'react'
import { OperatorOptions } from '#components/domain/operator-mark.tsx'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { FUNDING_ACCOUNTS, FUNDING_KINDS, type FundingKind, referenceKey } from '#lib/approvals/proposed-change.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { parseTypedAmount } from '#lib/money/money.ts'
import { OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { FundingInput } from '#lib/schemas/proposal.ts'
import { proposeFunding } from '../actions.ts'
import { FileField } from './file-field.tsx'
import { useFundingDecision } from './use-funding-decision.ts'

type Props = { application: string; onClose: () => void }
type Problems = Partial<Record<'amount' | 'reference' | 'file', MessageKey>>

/** The form of a funding. A default export, because it is loaded on demand. */
export default function ProposeDialog({ application, onClose }: Props) {
  const { t, locale } = useTranslations()
  const { run, error, isPending } = useFundingDecision(onClose)
  const [kind, setKind] = useState<FundingKind>('pay_in')
  const [operator, setOperator] = useState<OperatorCode>(OPERATOR_CODES[0])
  const [attachment, setAttachment] = useState<FundingInput['attachment']>(null)
  const [problems, setProblems] = useState<Problems>({})
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const read = readForm(new FormData(event.currentTarget), { kind, operator, attachment, locale })
    setProblems(read.ok ? {} : read.error)
    if (read.ok) run(() => proposeFunding(application, read.value), 'funding.proposedNow')
  }
  const { currency } = OPERATORS[operator].country
  return (
    <FormDialog
      title={t('funding.new')}
      submitLabel={t('funding.submit')}
      isPending={isPending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <KindFields kind={kind} onKind={setKind} operator={operator} onOperator={setOperator} />
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
        label={t('funding.reference')}
        hint={t('funding.referenceHint')}
        error={problems.reference && t(problems.reference)}
        autoComplete="off"
        maxLength={100}
      />
      <FileField
        label={t('funding.file')}
        {...(kind === 'move' ? { note: t('funding.optional') } : {})}
        hint={t('funding.fileHint')}
        error={problems.file && t(problems.file)}
        onRead={setAttachment}
      />
      <TextField id="funding-note" name="note" label={t('funding.note')} note={t('funding.optional')} autoComplete="off" maxLength={500} />
      <p className="text-second text-quiet">{t('funding.afterwards')}</p>
    </FormDialog>
  )
}

type Chosen = { kind: FundingKind; operator: OperatorCode; attachment: FundingInput['attachment']; locale: Locale }

/** Reads the form: the proposal, or a message for each invalid field. */
function readForm(form: FormData, { kind, operator, attachment, locale }: Chosen): Result<FundingInput, Problems> {
  const textOf = (name: string) => String(form.get(name) ?? '').trim()
  const amount = parseTypedAmount(textOf('amount'), locale) ?? '0'
  const [isAmount, isReference] = [/[1-9]/.test(amount), referenceKey(textOf('reference')) !== '']
  const isProven = kind === 'move' || attachment !== null
  if (!isAmount || !isReference || !isProven)
    return err({
      ...(!isAmount && { amount: 'funding.amountWrong' }),
      ...(!isReference && { reference: 'funding.referenceMissing' }),
      ...(!isProven && { file: 'funding.fileMissing' }),
    })
  const isCorrection = kind === 'correction'
  return ok({
    kind,
    operator,
    account: isCorrection && textOf('account') === 'collect' ? 'collect' : 'deposit',
    amount: isCorrection && textOf('direction') === 'take' ? `-${amount}` : amount,
    reference: textOf('reference'),
    note: textOf('note'),
    attachment,
  })
}

type KindProps = {
  kind: FundingKind
  onKind: (kind: FundingKind) => void
  operator: OperatorCode
  onOperator: (operator: OperatorCode) => void
}

/** The kind of funding and its operator; for a correction, also the balance and the direction. */
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
            {t(`funding.kind.${each}`)}
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
      {kind === 'correction' && (
        <div className="grid gap-4 sm:grid-cols-2">
          <Select id="funding-account" name="account" label={t('funding.account')} defaultValue="deposit">
            {FUNDING_ACCOUNTS.map((account) => (
              <option key={account} value={account}>
                {t(`funding.account.${account}`)}
              </option>
            ))}
          </Select>
          <Select id="funding-direction" name="direction" label={t('funding.direction')} defaultValue="add">
            <option value="add">{t('funding.add')}</option>
            <option value="take">{t('funding.take')}</option>
          </Select>
        </div>
      )}
    </>
  )
}
