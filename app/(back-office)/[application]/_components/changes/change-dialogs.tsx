import { type FormEvent, useState, useTransition } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { Button } from '#components/ui/button.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { Checkbox, Select, TextField } from '#components/ui/field.tsx'
import { Dialog, DialogActions } from '#components/ui/overlay/dialog.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import type { ChangeKindName, CollectedSecret } from '#lib/approvals/proposed-change.ts'
import { callAction, refusalText } from '#lib/result.ts'
import { refuseChange } from '../../../../actions/changes.ts'
import { CHANGE_REFUSALS, useProposal } from './use-proposal.ts'

/** The link of an invitation, shown this once. It stays open until the link was copied or the person says that it is stored. */
export function LinkDialog({ link, onClose }: { link: string; onClose: () => void }) {
  const t = useT()
  const [isStored, setIsStored] = useState(false)
  const [isWarned, setIsWarned] = useState(false)
  function mayClose(): boolean {
    setIsWarned(!isStored)
    return isStored
  }
  return (
    <Dialog title={t('people.linkTitle')} onClose={onClose} mayClose={mayClose}>
      <div className="grid gap-4">
        <p>{t('people.linkText')}</p>
        <p className="flex items-start gap-1.5 rounded-md border border-line p-3">
          <output aria-label={t('people.link')} className="min-w-0 flex-1 break-all select-all">
            {link}
          </output>
          <CopyButton text={link} label={t('people.link')} onCopied={() => setIsStored(true)} />
        </p>
        <Checkbox label={t('change.secretStored')} checked={isStored} onChange={(event) => setIsStored(event.target.checked)} />
        {isWarned && !isStored && <Notice tone="bad">{t('change.secretNotStored')}</Notice>}
      </div>
      <DialogActions>
        <Button variant="primary" onClick={(event) => mayClose() && event.currentTarget.closest('dialog')?.close()}>
          {t('change.secretDone')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

type Props = { application: string; changeId: string; onClose: () => void }

/** Refuses a proposed change, with a reason for the proposer. A default export, because it is loaded on demand. */
export function RefuseDialog({ application, changeId, onClose }: Props) {
  const t = useT()
  const router = useRouter()
  const [error, setError] = useState<string | null>(null)
  const [isPending, startTransition] = useTransition()
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const reason = String(new FormData(event.currentTarget).get('reason') ?? '').trim()
    if (reason === '') return setError(t('change.reasonMissing'))
    startTransition(async () => {
      const result = await callAction(() => refuseChange(application, { changeId, reason }))
      if (!result.ok) return setError(refusalText(t, result.error.code, CHANGE_REFUSALS))
      toast(t('change.refusedNow'))
      onClose()
      router.refresh()
    })
  }
  return (
    <FormDialog
      title={t('change.refuseTitle')}
      submitLabel={t('change.refuse')}
      submitVariant="danger"
      isPending={isPending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField id="change-reason" name="reason" label={t('change.reason')} hint={t('change.reasonHint')} required maxLength={500} />
    </FormDialog>
  )
}

const OVERLAP_HOURS = [0, 1, 24, 72, 168, 720] as const

type RotateDialogProps = {
  application: string
  title: string
  kind: Extract<ChangeKindName, 'key.rotate' | 'webhook_secret.rotate'>
  subject: Record<string, string>
  onClose: () => void
}

/** Proposes a new secret beside an old one, which keeps working for a chosen time. */
export function RotateDialog({ application, title, kind, subject, onClose }: RotateDialogProps) {
  const t = useT()
  const { propose, error, isPending } = useProposal(application, onClose)
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    propose(kind, { ...subject, overlapHours: Number(new FormData(event.currentTarget).get('overlapHours')) })
  }
  return (
    <FormDialog title={title} submitLabel={t('change.propose')} isPending={isPending} error={error} onSubmit={submit} onClose={onClose}>
      <Select
        id="overlap"
        name="overlapHours"
        label={t(kind === 'key.rotate' ? 'credentials.overlapKey' : 'credentials.overlapSecret')}
        hint={t('credentials.overlapHint')}
        defaultValue={24}
      >
        {OVERLAP_HOURS.map((count) => (
          <option key={count} value={count}>
            {t('change.hours', { count })}
          </option>
        ))}
      </Select>
      <p className="text-second text-quiet">{t('credentials.collectAfterwards')}</p>
    </FormDialog>
  )
}

/**
 * Shows a secret once. It stays open until the secret was copied or the person says that it is stored: nothing shows it again. Plain text rather
 * than a field, which a browser would offer to remember. A default export, because it is loaded on demand.
 */
export function SecretDialog({ secret, onClose }: { secret: CollectedSecret; onClose: () => void }) {
  const t = useT()
  const label = t(`change.secret.${secret.name}`)
  const [isStored, setIsStored] = useState(false)
  const [isWarned, setIsWarned] = useState(false)
  function mayClose(): boolean {
    setIsWarned(!isStored)
    return isStored
  }
  return (
    <Dialog title={label} onClose={onClose} mayClose={mayClose}>
      <div className="grid gap-4">
        <Notice tone="wait">{t('change.secretOnce')}</Notice>
        <div className="flex items-center gap-2 rounded-sm bg-sunken px-3 py-2">
          <output aria-label={label} className="min-w-0 flex-1 wrap-anywhere select-all" translate="no">
            {secret.value}
          </output>
          <CopyButton text={secret.value} label={label} onCopied={() => setIsStored(true)} />
        </div>
        <Checkbox label={t('change.secretStored')} checked={isStored} onChange={(event) => setIsStored(event.target.checked)} />
        {isWarned && !isStored && <Notice tone="bad">{t('change.secretNotStored')}</Notice>}
      </div>
      <DialogActions>
        <Button variant="primary" onClick={(event) => mayClose() && event.currentTarget.closest('dialog')?.close()}>
          {t('change.secretDone')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
