'use client'

import { DialogButton } from '#components/ui/overlay/dialog-button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { BeneficiaryGroup } from '#lib/beneficiaries/beneficiaries.ts'

const ScheduleDialog = onDemand(async () => (await import('./schedule-dialogs.tsx')).ScheduleDialog)
const EndDialog = onDemand(async () => (await import('./schedule-dialogs.tsx')).EndDialog)

type ButtonProps = { application: string; zone: string; of: { groups: readonly BeneficiaryGroup[] } | { batchId: string; name: string } }

/** Schedules a group or an earlier list. */
export function ScheduleButton(props: ButtonProps) {
  const t = useT()
  const isGroup = 'groups' in props.of
  return (
    <DialogButton dialog={(onClose) => <ScheduleDialog {...props} onClose={onClose} />}>
      {t(isGroup ? 'plan.group' : 'plan.button')}
    </DialogButton>
  )
}

/** Ends a schedule, after a question. */
export function EndButton({ application, scheduleId, name }: { application: string; scheduleId: string; name: string }) {
  const t = useT()
  return (
    <DialogButton
      size="small"
      aria-label={t('plan.endOf', { name })}
      dialog={(onClose) => <EndDialog {...{ application, scheduleId, name, onClose }} />}
    >
      {t('plan.end')}
    </DialogButton>
  )
}
