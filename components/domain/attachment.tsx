import { useTranslations } from '#components/ui/translations.tsx'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import type { AttachmentDto, AttachmentType } from '#lib/payments/attachments.ts'

const TYPE_NAMES: Record<AttachmentType, string> = {
  'application/pdf': 'PDF',
  'image/png': 'PNG',
  'image/jpeg': 'JPEG',
  'image/webp': 'WebP',
}

const KB = 1024

/** `PDF, 1.2 MB`. */
export function attachmentFacts(t: Translate, locale: Locale, { mediaType, bytes }: Pick<AttachmentDto, 'mediaType' | 'bytes'>): string {
  const write = (value: number, digits: number) => value.toLocaleString(locale, { maximumFractionDigits: digits })
  const size =
    bytes < KB * KB
      ? t('attachment.kilobytes', { count: write(Math.ceil(bytes / KB), 0) })
      : t('attachment.megabytes', { count: write(bytes / KB / KB, 1) })
  return t('attachment.facts', { type: TYPE_NAMES[mediaType], size })
}

type Props = { application: string; transactionId: string; attachment: AttachmentDto | null }

/**
 * The file of the maker: a picture as it is, a PDF in a frame where there is room, and both to open and to save. The answer sandboxes what is in the
 * frame (`next.config.ts`); with the attribute, Chromium shows no PDF.
 */
export function Attachment({ application, transactionId, attachment }: Props) {
  const { t, locale } = useTranslations()
  if (!attachment) return null
  const { fileName, mediaType, sha256, isKept } = attachment
  const addressOf = (query: { save?: string }) => paths.data(application, `transactions/${transactionId}/attachment`, query)
  return (
    <section aria-label={t('attachment.title')} className="no-print grid gap-2">
      <h2 className="text-second font-regular text-quiet">{t('attachment.title')}</h2>
      <p className="grid">
        <bdi className="font-medium wrap-anywhere">{fileName}</bdi>
        <span className="text-second text-quiet">
          {attachmentFacts(t, locale, attachment)} ·{' '}
          <span title={sha256} className="tabular">
            {t('attachment.digest', { digest: sha256.slice(0, 12) })}
          </span>
        </span>
      </p>
      {!isKept && <p className="text-ink-2">{t('attachment.gone')}</p>}
      {isKept && (
        <>
          {mediaType === 'application/pdf' ? (
            <iframe
              key={transactionId}
              src={addressOf({})}
              title={fileName}
              loading="lazy"
              className="h-96 w-full rounded-sm border border-line max-sm:hidden"
            />
          ) : (
            // biome-ignore lint/performance/noImgElement: the file is shown byte for byte, as its checkers sign it.
            <img
              key={transactionId}
              src={addressOf({})}
              alt={t('attachment.picture', { name: fileName })}
              loading="lazy"
              className="max-h-96 max-w-full justify-self-start rounded-sm border border-line object-contain"
            />
          )}
          <p className="flex flex-wrap gap-x-4 gap-y-1">
            <a href={addressOf({})} target="_blank" rel="noreferrer" className="underline touch-target">
              {t('attachment.open')}
            </a>
            <a href={addressOf({ save: '1' })} className="underline touch-target">
              {t('attachment.save')}
            </a>
          </p>
        </>
      )}
    </section>
  )
}
