import { OperatorOptions } from '#components/domain/operator-mark.tsx'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { CHANGE_REFUSALS, isChangeRefusal } from '#lib/approvals/change-refusals.ts'
import { BENEFICIARY_NAME_MAX, type BeneficiaryDto, type BeneficiaryGroup, GROUP_NAME_MAX } from '#lib/beneficiaries/beneficiaries.ts'
import { parseMinor, parseTypedAmount } from '#lib/money/money.ts'
import { formatAmount, formatPhone } from '#lib/text/format.ts'
import { ProposalDialog } from '../../_components/changes/proposal-dialog.tsx'
import { useProposal } from '../../_components/changes/use-proposal.ts'
import { archiveBeneficiary, editBeneficiary } from '../actions.ts'

type Props = { application: string; onClose: () => void }
type IdentityProps = Props & { groups: readonly BeneficiaryGroup[]; present: BeneficiaryDto | null }

const REFUSALS = {
  not_permitted: 'action.forbidden',
  not_found: 'action.not_found',
  number_in_book: 'beneficiaries.numberInBook',
} as const

/** The form of a new person, or of another name or number of one: what a second person confirms. */
export function IdentityDialog({ application, groups, present, onClose }: IdentityProps) {
  const { t, locale } = useTranslations()
  const proposal = useProposal(application, onClose)
  const problem = proposal.problems['phoneNumber']
  function submit(form: FormData) {
    const textOf = (name: string) => String(form.get(name) ?? '').trim()
    const identity = { name: textOf('name'), operator: textOf('operator'), phoneNumber: textOf('phoneNumber') }
    if (identity.name === '' || identity.phoneNumber === '') return proposal.setError(t('beneficiaries.allMissing'))
    if (present) return proposal.propose('beneficiary.set', { beneficiaryId: present.beneficiaryId, ...identity })
    const amount = readAmount(textOf('amount'), locale)
    if (amount === undefined) return proposal.setError(t('beneficiaries.amountWrong'))
    const amountMinor = amount === null ? null : String(parseMinor(amount))
    proposal.propose('beneficiary.add', { ...identity, groupName: textOf('groupName') || null, amountMinor })
  }
  return (
    <ProposalDialog
      title={present ? t('beneficiaries.changeNumberOf', { name: present.name }) : t('beneficiaries.add')}
      proposal={proposal}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        id="beneficiary-name"
        name="name"
        label={t('beneficiaries.name')}
        defaultValue={present?.name ?? ''}
        dir="auto"
        autoComplete="off"
        maxLength={BENEFICIARY_NAME_MAX}
      />
      <Select id="beneficiary-operator" name="operator" label={t('beneficiaries.operator')} defaultValue={present?.operator}>
        <OperatorOptions />
      </Select>
      <TextField
        id="beneficiary-number"
        name="phoneNumber"
        type="tel"
        inputMode="tel"
        label={t('beneficiaries.number')}
        hint={t('beneficiaries.numberHint')}
        error={problem && isChangeRefusal(problem) ? t(CHANGE_REFUSALS[problem]) : undefined}
        defaultValue={present ? formatPhone(present.phoneNumber) : ''}
        className="tabular"
        autoComplete="off"
        maxLength={40}
      />
      {present === null && <PlaceFields groups={groups} present={null} />}
    </ProposalDialog>
  )
}

/** The form of group and amount, which one person changes. */
export function EditDialog({
  application,
  beneficiary,
  groups,
  onClose,
}: Props & { beneficiary: BeneficiaryDto; groups: readonly BeneficiaryGroup[] }) {
  const { t, locale } = useTranslations()
  const { beneficiaryId } = beneficiary
  const { run, isPending, error, setError } = useAction(
    (place: { groupName: string | null; amount: string | null }) => editBeneficiary(application, { beneficiaryId, ...place }),
    {
      words: REFUSALS,
      refreshes: 'done',
      onDone() {
        toast(t('beneficiaries.saved'))
        onClose()
      },
    },
  )
  function submit(form: FormData) {
    const amount = readAmount(String(form.get('amount') ?? '').trim(), locale)
    if (amount === undefined) return setError(t('beneficiaries.amountWrong'))
    run({ groupName: String(form.get('groupName') ?? '').trim() || null, amount })
  }
  return (
    <FormDialog
      title={t('beneficiaries.editOf', { name: beneficiary.name })}
      submitLabel={t('beneficiaries.save')}
      isPending={isPending}
      error={error}
      onSubmit={(_, fields) => submit(fields)}
      onClose={onClose}
    >
      <PlaceFields groups={groups} present={beneficiary} />
    </FormDialog>
  )
}

/** The group, one of those that exist or another, and the amount. */
function PlaceFields({ groups, present }: { groups: readonly BeneficiaryGroup[]; present: BeneficiaryDto | null }) {
  const { t, locale } = useTranslations()
  return (
    <>
      <TextField
        id="beneficiary-group"
        name="groupName"
        label={t('beneficiaries.group')}
        hint={t('beneficiaries.groupHint')}
        defaultValue={present?.groupName ?? ''}
        list="beneficiary-groups"
        autoComplete="off"
        maxLength={GROUP_NAME_MAX}
      />
      <datalist id="beneficiary-groups">
        {groups.map(({ groupName }) => (
          <option key={groupName} value={groupName} />
        ))}
      </datalist>
      <TextField
        id="beneficiary-amount"
        name="amount"
        label={t('beneficiaries.amount')}
        hint={t('beneficiaries.amountHint')}
        defaultValue={present?.amount ? formatAmount(present.amount, locale) : ''}
        {...(present ? { note: present.currency } : {})}
        inputMode="decimal"
        className="tabular"
        autoComplete="off"
        maxLength={20}
      />
    </>
  )
}

/** Asks before a person is taken out of the book. */
export function ArchiveDialog({ application, beneficiary, onClose }: Props & { beneficiary: BeneficiaryDto }) {
  const { t } = useTranslations()
  const { beneficiaryId, name } = beneficiary
  const { run, isPending, error } = useAction(() => archiveBeneficiary(application, { beneficiaryId, isArchived: true }), {
    words: REFUSALS,
    refreshes: 'done',
    onDone() {
      toast(t('beneficiaries.archivedNow'))
      onClose()
    },
  })
  return (
    <FormDialog
      title={t('beneficiaries.archiveOf', { name })}
      submitLabel={t('beneficiaries.archive')}
      submitVariant="danger"
      isPending={isPending}
      error={error}
      onSubmit={() => run()}
      onClose={onClose}
    >
      <p>{t('beneficiaries.archiveText', { name })}</p>
    </FormDialog>
  )
}

/** A typed amount as a decimal; null: none was typed. Undefined: it is none, or zero. */
function readAmount(typed: string, locale: 'en' | 'fr'): string | null | undefined {
  if (typed === '') return null
  const amount = parseTypedAmount(typed, locale)
  return amount !== undefined && /[1-9]/.test(amount) ? amount : undefined
}
