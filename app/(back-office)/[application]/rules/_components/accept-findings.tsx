import { Checkbox } from '#components/ui/field.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { isRefused, type RuleFinding } from '#lib/rules/rule-finding.ts'
import { Findings } from './findings.tsx'

type Props = { findings: readonly RuleFinding[]; isAccepted: boolean; onAccept: (isAccepted: boolean) => void }

/** Problems with rules that were not saved. If none of them is a refusal, a checkbox lets the rules be saved anyway. */
export function AcceptFindings({ findings, isAccepted, onAccept }: Props) {
  const { t, locale } = useTranslations()
  if (findings.length === 0) return null
  return (
    <div role="alert" className="grid gap-3">
      <Findings t={t} locale={locale} findings={findings} />
      {!findings.some(isRefused) && (
        <Checkbox
          name="accept"
          label={t('rules.accept', { count: findings.length })}
          checked={isAccepted}
          onChange={(event) => onAccept(event.target.checked)}
        />
      )}
    </div>
  )
}
