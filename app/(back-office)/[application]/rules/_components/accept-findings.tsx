import { Checkbox } from '#components/ui/field.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { isRefused, type RuleFinding } from '#lib/rules/rule-finding.ts'
import { Findings } from './findings.tsx'

type Props = { findings: readonly RuleFinding[]; isAccepted: boolean; onAccept: (isAccepted: boolean) => void }

/** What is wrong with rules that were not stored. Where nothing of it is a refusal, a box to store them all the same. */
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
