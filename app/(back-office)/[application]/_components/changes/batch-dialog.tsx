import { FormDialog } from '#components/form/form-dialog.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { useT } from '#components/ui/translations.tsx'
import { CHANGE_REFUSALS } from '#lib/approvals/change-refusals.ts'
import type { ProposedBatch } from '#lib/approvals/proposed-change.ts'
import type { ProofAnswer } from '#lib/people/passkeys.ts'
import { confirmBatch } from '../../../../actions/changes.ts'

type Props = { application: string; batch: ProposedBatch; onClose: () => void }

/** Shows once more what is confirmed together. What is refused keeps waiting, and the toast says why. */
export function BatchDialog({ application, batch: { batchId, title, lines }, onClose }: Props) {
  const t = useT()
  const confirm = (proof?: ProofAnswer) => confirmBatch(application, { batchId, ...(proof && { proof }) })
  const { run, error, isPending, proofDialog } = useAction(() => confirm(), {
    words: CHANGE_REFUSALS,
    withProof: confirm,
    said: ({ confirmed, refused }) =>
      [
        t('change.batch.confirmed', { count: confirmed }),
        refused !== null && t('change.batch.waits', { reason: t(CHANGE_REFUSALS[refused]) }),
      ]
        .filter(Boolean)
        .join(' '),
    refreshes: 'answered',
    onDone: onClose,
  })
  return (
    <>
      <FormDialog
        title={t('change.confirmTitle', { kind: title })}
        submitLabel={t('change.batch.confirm', { count: lines.length })}
        isPending={isPending}
        error={error}
        onSubmit={() => run()}
        onClose={onClose}
      >
        <ul className="grid gap-1">
          {lines.map((line) => (
            <li key={line} className="wrap-anywhere">
              {line}
            </li>
          ))}
        </ul>
        <p className="text-second text-quiet">{t('change.confirmText')}</p>
      </FormDialog>
      {/* A form of its own. */}
      {proofDialog}
    </>
  )
}
