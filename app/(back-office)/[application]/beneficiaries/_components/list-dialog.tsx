import { FormDialog } from '#components/form/form-dialog.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import type { BeneficiaryGroup } from '#lib/beneficiaries/beneficiaries.ts'
import { paths } from '#lib/pages/paths.ts'
import { PAYMENT_TEXTS } from '#lib/payments/payment-fields.ts'
import { prepareList } from '../actions.ts'

const REFUSALS = {
  not_permitted: 'action.forbidden',
  not_found: 'action.not_found',
  still_open: 'repeat.refused.still_open',
  nobody: 'repeat.refused.nobody',
  too_many: 'repeat.refused.too_many',
} as const

type Props = {
  application: string
  /** One of the groups, or an earlier list. */
  of: { groups: readonly BeneficiaryGroup[] } | { batchId: string; name: string }
  onClose: () => void
}

/** Prepares a batch of a group or of an earlier list, and opens it. */
export function ListDialog({ application, of, onClose }: Props) {
  const t = useT()
  const router = useRouter()
  const { run, isPending, error } = useAction((input: Parameters<typeof prepareList>[1]) => prepareList(application, input), {
    words: REFUSALS,
    onDone({ batchId }) {
      onClose()
      router.push(paths.batch(application, batchId))
    },
  })
  function submit(fields: FormData) {
    const textOf = (name: string) => String(fields.get(name) ?? '').trim() || null
    const source = 'groups' in of ? { groupName: String(fields.get('groupName')) } : { batchId: of.batchId }
    run({ source, name: textOf('name'), purpose: textOf('purpose') })
  }
  const isGroup = 'groups' in of
  return (
    <FormDialog
      title={isGroup ? t('beneficiaries.payGroup') : t('repeat.title', { name: of.name })}
      submitLabel={t('repeat.prepare')}
      isPending={isPending}
      error={error}
      onSubmit={(_, fields) => submit(fields)}
      onClose={onClose}
    >
      <p>{t(isGroup ? 'beneficiaries.payGroupText' : 'repeat.text')}</p>
      {isGroup && (
        <Select id="list-group" name="groupName" label={t('beneficiaries.group')}>
          {of.groups.map(({ groupName, count }) => (
            <option key={groupName} value={groupName}>
              {t('beneficiaries.groupCount', { group: groupName, count })}
            </option>
          ))}
        </Select>
      )}
      <TextField id="list-name" name="name" label={t('repeat.name')} hint={t('repeat.nameHint')} autoComplete="off" maxLength={200} />
      <TextField
        id="list-purpose"
        name="purpose"
        label={t('repeat.purpose')}
        hint={t('repeat.purposeHint')}
        autoComplete="off"
        maxLength={PAYMENT_TEXTS.purpose.lengthMax}
      />
    </FormDialog>
  )
}
