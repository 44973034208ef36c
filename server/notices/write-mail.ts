import type { Locale } from '#lib/i18n/locale.ts'
import { createTranslate, type Translate } from '#lib/i18n/translate.ts'
import { MESSAGES } from '#server/messages.ts'
import type { Notice } from './notice-store.ts'

/** A notice with the slug of the application as whose member its reader is told. */
export type ConcerningNotice = Notice & { decidesIn: string | null }
export type MailText = { subject: string; text: string; html: string }

/** Writes one mail about one or several notices, as plain text and as HTML. Its links lead to `publicUrl` only; nothing can be decided by them. */
export function writeMail(
  notices: readonly ConcerningNotice[],
  { name, locale, publicUrl }: { name: string; locale: Locale; publicUrl: string },
): MailText {
  const t = createTranslate(locale, MESSAGES[locale])
  const [first] = notices
  const subject = notices.length === 1 && first ? t(`mails.cause.${first.cause}`) : t('mails.digest', { count: notices.length })
  const items = notices.map((notice) => ({ sentence: sentenceOf(t, notice), link: `${publicUrl}${pathOf(notice)}` }))
  const greeting = t('mails.greeting', { name })
  const footer = t('mails.footer')
  const text = [greeting, ...items.map(({ sentence, link }) => `${sentence}\n${link}`), footer].join('\n\n')
  const html = [
    `<p>${escapeHtml(greeting)}</p>`,
    ...items.map(({ sentence, link }) => `<p>${escapeHtml(sentence)}<br><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>`),
    `<p>${escapeHtml(footer)}</p>`,
  ].join('\n')
  return { subject, text, html: `<!doctype html><html lang="${locale}"><body>\n${html}\n</body></html>` }
}

function sentenceOf(t: Translate, { cause, applicationName }: Notice): string {
  const sentence = t(`mails.cause.${cause}`)
  return applicationName === null ? sentence : t('mails.inApplication', { application: applicationName, sentence })
}

function pathOf({ cause, slug, subjectId, kind, decidesIn }: ConcerningNotice): string {
  if (slug === null) return '/'
  // Only changes are decided as a member of another application, the one that runs the installation.
  if (decidesIn !== null && decidesIn !== slug) return `/${decidesIn}/installation/changes`
  switch (cause) {
    case 'approval_waiting':
      return `/${slug}/approvals`
    case 'payment_rejected':
      return `/${slug}/transactions/${subjectId}`
    case 'batch_ended':
      return `/${slug}/batches/${subjectId}`
    case 'exception_overdue':
      return `/${slug}/close/exceptions/${subjectId}`
    case 'change_waiting':
    case 'change_expiring':
      return `/${slug}${pageOfKind(kind ?? '')}`
    case 'new_device':
      return `/${slug}/settings`
  }
}

/** The page on which changes of a kind are decided; the overview leads to all others. */
function pageOfKind(kind: string): string {
  if (kind.startsWith('funding.')) return '/funding'
  if (kind.startsWith('person.')) return '/people'
  if (kind.startsWith('policy.')) return '/rules'
  if (/^(key|api_user|address|webhook_secret)\./.test(kind)) return '/keys'
  return ''
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
