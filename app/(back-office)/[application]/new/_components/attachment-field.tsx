import { useRef, useState } from 'react'
import { attachmentFacts } from '#components/domain/attachment.tsx'
import { type SendWords, sendFile } from '#components/form/send-file.ts'
import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { ProgressBar } from '#components/ui/display/badge.tsx'
import { Checkbox } from '#components/ui/field.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { ATTACHMENT_BYTES_MAX, ATTACHMENT_TYPES, type AttachmentDto, attachmentProblemKey } from '#lib/payments/attachments.ts'
import { type ActionResult, ok } from '#lib/result.ts'
import { attachmentSchema } from '#lib/schemas/payment.ts'
import { detachFile } from '../actions.ts'

const WORDS: SendWords = { notSent: 'payment.attachment.not_sent', refused: attachmentProblemKey }
const REFUSALS = { already_sent: 'payment.attachment.already_sent', not_found: 'payment.attachment.not_stored' } as const
const ACCEPTED = Object.entries(ATTACHMENT_TYPES)
  .flatMap(([type, endings]) => [type, ...endings.map((ending) => `.${ending}`)])
  .join()

type Props = {
  application: string
  externalId: string
  attachment: AttachmentDto | null
  /** The file of the payment that this one replaces: copied when this one is sent with it. */
  earlier: AttachmentDto | null
  onChange: (attachment: AttachmentDto | null) => void
  onSending: (isSending: boolean) => void
}

/** The file of a payment that is being written. It is sent when it is chosen, so that it is there before the payment is. */
export function AttachmentField({ application, externalId, attachment, earlier, onChange, onSending }: Props) {
  const { t, locale } = useTranslations()
  const input = useRef<HTMLInputElement>(null)
  const [sent, setSent] = useState<{ pieces: number; of: number } | null>(null)
  const [problem, setProblem] = useState<MessageKey | null>(null)
  const removing = useAction(() => detachFile(application, { externalId }), {
    words: REFUSALS,
    said: () => t('payment.attachment.removed'),
    onDone: () => {
      onChange(null)
      input.current?.focus()
    },
  })
  // Sent before and refused, the payment may have the copy already.
  const leaving = useAction(() => leaveFile(application, externalId), { words: REFUSALS })
  const isKeeping = earlier !== null && attachment === earlier

  async function attach(file: File | undefined): Promise<void> {
    setProblem(null)
    removing.setError(null)
    if (!file) return
    if (file.size === 0) return setProblem('payment.attachment.empty')
    if (file.size > ATTACHMENT_BYTES_MAX) return setProblem('payment.attachment.too_large')
    onSending(true)
    setSent({ pieces: 0, of: 1 })
    const outcome = await sendAttachment(application, externalId, file, (pieces, of) => setSent({ pieces, of }))
    setSent(null)
    onSending(false)
    // The same file can be chosen again after a refusal.
    if (input.current) input.current.value = ''
    if ('error' in outcome) setProblem(outcome.error)
    else onChange(outcome)
  }

  return (
    <div className="grid gap-1">
      <label htmlFor="payment-attachment" className="font-medium">
        {t('payment.attachment.field')}
        <span className="ml-1.5 text-second font-regular text-quiet">{t('payment.optional')}</span>
      </label>
      {earlier && (isKeeping || attachment === null) && (
        <Checkbox
          checked={isKeeping}
          disabled={sent !== null}
          onChange={({ target }) => {
            onChange(target.checked ? earlier : null)
            if (!target.checked) leaving.run()
          }}
          label={
            <>
              {t('payment.attachment.keep')} <bdi className="wrap-anywhere">{earlier.fileName}</bdi>{' '}
              <span className="text-second text-quiet">{attachmentFacts(t, locale, earlier)}</span>
            </>
          }
        />
      )}
      {attachment && !isKeeping && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="min-w-0">
            <bdi className="wrap-anywhere">{attachment.fileName}</bdi>{' '}
            <span className="text-second text-quiet">{attachmentFacts(t, locale, attachment)}</span>
          </span>
          <Button size="small" isBusy={removing.isPending} onClick={() => removing.run()}>
            {t('payment.attachment.remove')}
          </Button>
        </div>
      )}
      <input
        ref={input}
        id="payment-attachment"
        type="file"
        accept={ACCEPTED}
        disabled={sent !== null}
        aria-invalid={problem ? true : undefined}
        aria-describedby="payment-attachment-hint"
        onChange={(event) => void attach(event.target.files?.[0])}
        className="w-full rounded-sm border border-line-2 bg-surface p-1.5 aria-invalid:border-bad"
      />
      {sent && <ProgressBar label={t('payment.attachment.sending')} value={sent.pieces} max={sent.of} />}
      <div id="payment-attachment-hint" role="status" className="text-second text-quiet">
        {problem && <p className="text-bad">{t(problem)}</p>}
        {leaving.error && <p className="text-bad">{leaving.error}</p>}
        {removing.error && <p className="text-bad">{removing.error}</p>}
        <p>{t('payment.attachment.hint')}</p>
      </div>
    </div>
  )
}

/** Removes the copy of an earlier file, if there is one. */
async function leaveFile(
  application: string,
  externalId: string,
): Promise<ActionResult<void, 'already_sent' | 'not_permitted' | 'not_found'>> {
  const left = await detachFile(application, { externalId })
  return !left.ok && left.error.code === 'not_found' ? ok(undefined) : left
}

async function sendAttachment(
  application: string,
  externalId: string,
  file: File,
  onPiece: (sent: number, of: number) => void,
): Promise<AttachmentDto | { error: MessageKey }> {
  // A name that is too long keeps its end, with the ending.
  const begin = { payment: externalId, fileName: file.name.slice(-200), bytes: file.size, modified: file.lastModified }
  const upload = {
    begin: paths.data(application, 'attachments', begin),
    piece: (fileId: string, number: number) => paths.data(application, `attachments/${fileId}/pieces`, { number }),
    complete: (fileId: string) => paths.data(application, `attachments/${fileId}/complete`),
  }
  const sent = await sendFile(file, upload, WORDS, onPiece)
  if ('error' in sent) return sent
  const attached = attachmentSchema.safeParse(sent.json)
  return attached.success ? attached.data : { error: 'action.unexpected' }
}
