import { Notice } from '#components/ui/display/empty-state.tsx'
import type { MessageKey, Translate } from '#lib/i18n/translate.ts'
import type { Confirmation } from '#server/changes/list-changes.ts'

type Props = Confirmation & {
  t: Translate
  /** Said where nobody can confirm anything: what to do instead. */
  alone: MessageKey
}

/** Who confirms what the viewer proposes on a page, where nobody else in the application can. */
export function ConfirmationNotice({ t, alone, isAlone, isConfirmedElsewhere, needsNobody }: Props) {
  if (!isAlone && !isConfirmedElsewhere && !needsNobody) return null
  return (
    <div className="mt-4">
      <Notice>{t(isAlone ? alone : needsNobody ? 'change.secretsInSandbox' : 'change.confirmedElsewhere')}</Notice>
    </div>
  )
}
