import { useState } from 'react'
import { Select, TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import {
  AFTER_HOURS_MAX,
  BEFORE_HOURS_MAX,
  type MatchingRules,
  matchingRulesSchema,
  NUMBER_PAIRS,
  PHONE_FORMS,
} from '#lib/reconciliation/matching-rules.ts'
import { walletText } from '#lib/reconciliation/wallet-words.ts'
import { ProposalDialog } from '../../../../_components/changes/proposal-dialog.tsx'
import { useProposal } from '../../../../_components/changes/use-proposal.ts'

type Props = { application: string; wallet: string; rules: MatchingRules; onClose: () => void }

/** Proposes by which rules lines of a wallet are matched that no id has matched. */
export function RulesDialog({ application, wallet, rules, onClose }: Props) {
  const t = useT()
  const proposal = useProposal(application, onClose)
  const [wrong, setWrong] = useState<ReadonlySet<unknown>>(new Set())
  function submit(form: FormData) {
    const hours = (name: string) => (/^\d{1,3}$/.test(String(form.get(name)).trim()) ? Number(form.get(name)) : Number.NaN)
    const read = matchingRulesSchema.safeParse({
      ...Object.fromEntries(form),
      beforeHours: hours('beforeHours'),
      afterHours: hours('afterHours'),
    })
    setWrong(new Set(read.error?.issues.map(({ path }) => path[0])))
    if (read.success) proposal.propose('matching.rules', { wallet, ...read.data })
  }
  return (
    <ProposalDialog
      title={`${t('matching.title')}: ${walletText(t, wallet)}`}
      proposal={proposal}
      onSubmit={submit}
      afterwards={t('matching.afterwards')}
      onClose={onClose}
    >
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          id="rules-before"
          name="beforeHours"
          label={t('matching.beforeHours')}
          error={wrong.has('beforeHours') ? t('matching.wrong.before', { max: BEFORE_HOURS_MAX }) : undefined}
          defaultValue={rules.beforeHours}
          inputMode="numeric"
          maxLength={3}
        />
        <TextField
          id="rules-after"
          name="afterHours"
          label={t('matching.afterHours')}
          error={wrong.has('afterHours') ? t('matching.wrong.after', { max: AFTER_HOURS_MAX }) : undefined}
          defaultValue={rules.afterHours}
          inputMode="numeric"
          maxLength={3}
        />
      </div>
      <Select id="rules-pairs" name="numberPairs" label={t('matching.numberPairs')} defaultValue={rules.numberPairs}>
        {NUMBER_PAIRS.map((each) => (
          <option key={each} value={each}>
            {t(`matching.pairs.${each}`)}
          </option>
        ))}
      </Select>
      <Select id="rules-forms" name="phoneForms" label={t('matching.phoneForms')} defaultValue={rules.phoneForms}>
        {PHONE_FORMS.map((each) => (
          <option key={each} value={each}>
            {t(`matching.forms.${each}`)}
          </option>
        ))}
      </Select>
    </ProposalDialog>
  )
}
