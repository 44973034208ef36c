import { type ReactNode, useState } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { CHANGE_REFUSALS } from '#lib/approvals/change-refusals.ts'
import type { ProposedChangeDto } from '#lib/approvals/proposed-change.ts'
import { AMOUNT_SETTINGS_NAME } from '#lib/operators/operator-settings.ts'
import { paths } from '#lib/pages/paths.ts'
import type { ProofAnswer } from '#lib/people/passkeys.ts'
import { confirmChange, refuseChange } from '../../../../actions/changes.ts'
import { ChangeTrial } from '../../operators/_components/settings-trial.tsx'
import { DocumentField } from './document-field.tsx'

type Props = { application: string; change: ProposedChangeDto; description: ReactNode; onClose: () => void }

/** Shows once more what is confirmed, and compares a document with its digest. `onLink`: shows the link of an invitation. */
export function ConfirmDialog({ application, change, description, onClose, onLink }: Props & { onLink: (link: string) => void }) {
  const t = useT()
  const [isLeaving, setIsLeaving] = useState(false)
  // How an operator is reached is tested before they are confirmed; everything else is as good as it looks.
  const isTested = change.kind === 'operator.set' && change.after['protocol'] !== AMOUNT_SETTINGS_NAME
  const [isProven, setIsProven] = useState(!isTested)
  const { changeId, kind, subject, after, application: changed } = change
  const { applicationId } = changed
  const confirm = (proof?: ProofAnswer) =>
    confirmChange(application, { applicationId, changeId, acknowledged: isLeaving, ...(proof && { proof }) })
  const { run, error, isPending, proofDialog } = useAction(() => confirm(), {
    words: CHANGE_REFUSALS,
    withProof: confirm,
    said: ({ isLinkMailed }) => t(isLinkMailed ? 'people.linkMailed' : 'change.confirmedNow'),
    refreshes: 'done',
    onDone: ({ link }) => (link === null ? onClose() : onLink(link)),
    onRefused: (code) => setIsLeaving(code === 'items_waiting'),
  })
  return (
    <>
      <FormDialog
        title={t('change.confirmTitle', { kind: t(`change.kind.${kind}`) })}
        submitLabel={t(isLeaving || !isProven ? 'change.confirmAnyway' : 'change.confirm')}
        isPending={isPending}
        error={error}
        onSubmit={() => run()}
        onClose={onClose}
      >
        {change.isDecidedElsewhere && <p className="text-quiet">{changed.name}</p>}
        <div>{description}</div>
        {isTested && <ChangeTrial application={application} changeId={changeId} onResult={setIsProven} />}
        {typeof after['documentSha256'] === 'string' && <DocumentCheck sha256={after['documentSha256']} />}
        {isLeaving && !change.isDecidedElsewhere && (
          <div>
            <ButtonLink href={paths.person(application, subject)}>{t('change.whatWaits')}</ButtonLink>
          </div>
        )}
        <p className="text-second text-quiet">{t('change.confirmText')}</p>
      </FormDialog>
      {/* A form of its own. */}
      {proofDialog}
    </>
  )
}

/** Compares a file that the second person received with the digest of the proposed one. */
function DocumentCheck({ sha256 }: { sha256: string }) {
  const t = useT()
  const [isSame, setIsSame] = useState<boolean | null>(null)
  return (
    <div className="grid gap-2">
      <DocumentField label={t('change.check')} hint={t('change.checkHint')} onRead={(file) => setIsSame(file && file.sha256 === sha256)} />
      <p role="status" className={isSame ? 'text-ok' : 'text-bad'}>
        {isSame !== null && t(isSame ? 'change.checkSame' : 'change.checkOther')}
      </p>
    </div>
  )
}

/** Refuses a proposed change, with a reason for the proposer. */
export function RefuseDialog({ application, change, description, onClose }: Props) {
  const t = useT()
  const { changeId, kind, application: changed } = change
  const { applicationId } = changed
  const { run, error, setError, isPending } = useAction(
    (reason: string) => refuseChange(application, { applicationId, changeId, reason }),
    {
      words: CHANGE_REFUSALS,
      said: () => t('change.refusedNow'),
      refreshes: 'done',
      onDone: onClose,
    },
  )
  return (
    <FormDialog
      title={t('change.refuseTitle', { kind: t(`change.kind.${kind}`) })}
      submitLabel={t('change.refuse')}
      submitVariant="danger"
      isPending={isPending}
      error={error}
      onSubmit={(_, fields) => {
        const reason = String(fields.get('reason') ?? '').trim()
        if (reason === '') return setError(t('change.reasonMissing'))
        run(reason)
      }}
      onClose={onClose}
    >
      <div>{description}</div>
      <TextField id="change-reason" name="reason" label={t('change.reason')} hint={t('change.reasonHint')} required maxLength={500} />
    </FormDialog>
  )
}
