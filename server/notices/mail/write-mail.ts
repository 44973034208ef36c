import { pivotOfMonth } from '#lib/finance/pivot-address.ts'
import { groupWords } from '#lib/finance/pivot-words.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import { createTranslate, type Translate } from '#lib/i18n/translate.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import { addressOfChange, addressOfGroup } from '#lib/pages/waiting.ts'
import { formatCount } from '#lib/text/format.ts'
import { formatTime } from '#lib/time/format-time.ts'
import { MESSAGES } from '#server/messages.ts'
import type { Notice } from '../notice-store.ts'
import type { MonthlyTable } from './monthly-table.ts'
import type { WaitingInApplication } from './waiting-lists.ts'

/** A notice with the slug of the application as whose member its reader is told. */
export type ConcerningNotice = Notice & { decidesIn: string | null }
export type MailText = { subject: string; text: string; html: string }

/** `tables`: the files that a mail brings, by notice. `waiting`: what waits for its reader, by application; empty in a mail that is not a digest. */
type MailContext = {
  name: string
  locale: Locale
  publicUrl: string
  timeZone: string
  tables: ReadonlyMap<string, MonthlyTable>
  waiting: readonly WaitingInApplication[]
}

/** Writes one mail about one or several notices, as plain text and as HTML. Its links lead to `publicUrl` only; nothing can be decided by them. */
export function writeMail(
  notices: readonly ConcerningNotice[],
  { name, locale, publicUrl, timeZone, tables, waiting }: MailContext,
): MailText {
  const t = createTranslate(locale, MESSAGES[locale])
  const distinct = distinctOf(notices)
  const [first] = distinct
  const subject = distinct.length === 1 && first ? t(`mails.cause.${first.cause}`) : t('mails.digest', { count: distinct.length })
  const items = distinct.map((notice) => ({
    sentence: sentenceOf(t, notice, tables.get(notice.noticeId)),
    link: `${publicUrl}${pathOf(notice)}`,
  }))
  const lists = waiting.map((list) => waitingList(t, list, { locale, publicUrl, timeZone }))
  return layOut(locale, { subject, greeting: t('mails.greeting', { name }), items, lists, footer: t('mails.footer') })
}

/** Of what was reported several times since the last message, such as waiting approvals, one. */
export function distinctOf(notices: readonly ConcerningNotice[]): ConcerningNotice[] {
  const keyOf = ({ cause, subjectId, operator, type }: Notice) => [cause, subjectId, operator, type].join()
  return [...new Map(notices.map((notice) => [keyOf(notice), notice])).values()]
}

type Lines = readonly { sentence: string; link: string }[]
type List = Lines[number] & { items: Lines }

/** One application's list: a line for each group of the page, with the number of its items and when the first of them ends. */
function waitingList(
  t: Translate,
  { slug, name, waiting }: WaitingInApplication,
  { locale, publicUrl, timeZone }: Pick<MailContext, 'locale' | 'publicUrl' | 'timeZone'>,
): List {
  const items = waiting.groups.map(({ group, count, items }) => {
    // Of a longer list than the page shows, another item may end sooner.
    const [ends] = items.length < count ? [] : items.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [expiresAt])).toSorted()
    const values = { group: t(`waiting.group.${group}`), count: formatCount(count, locale) }
    const line = t('mails.waitingGroup', values)
    return {
      sentence: ends
        ? t(group === 'exceptions' ? 'mails.waitingDue' : 'mails.waitingEnds', {
            line,
            time: formatTime(t, timeZone, new Date(ends), 'day-time'),
          })
        : line,
      link: `${publicUrl}${addressOfGroup(slug, group) ?? paths.waiting(slug)}`,
    }
  })
  return { sentence: t('mails.waitingIn', { application: name }), link: `${publicUrl}${paths.waiting(slug)}`, items }
}

/** Writes the mail that brings a link to an invited person, or to a person who chooses a new password. Only the link lets anybody do something. */
export function writeLinkMail(
  {
    kind,
    name,
    applicationName,
    invitedBy,
  }: { kind: 'invitation' | 'password'; name: string; applicationName: string | null; invitedBy: string | null },
  { locale, link }: { locale: Locale; link: string },
): MailText {
  const t = createTranslate(locale, MESSAGES[locale])
  const values = { application: applicationName ?? '', person: invitedBy ?? '' }
  return layOut(locale, {
    subject: t(`mails.${kind}.subject`, values),
    greeting: t('mails.greeting', { name }),
    items: [{ sentence: t(`mails.${kind}.text`, values), link }],
    lists: [],
    footer: t(`mails.${kind}.footer`, values),
  })
}

type Parts = { subject: string; greeting: string; items: Lines; lists: readonly List[]; footer: string }

function layOut(locale: Locale, { subject, greeting, items, lists, footer }: Parts): MailText {
  const text = [greeting, ...items.map(asText), ...lists.map((list) => [list, ...list.items].map(asText).join('\n')), footer]
  const html = [
    `<p>${escapeHtml(greeting)}</p>`,
    ...items.map((item) => `<p>${asHtml(item)}</p>`),
    ...lists.map(
      (list) => `<p><strong>${asHtml(list)}</strong></p>\n<ul>${list.items.map((item) => `<li>${asHtml(item)}</li>`).join('')}</ul>`,
    ),
    `<p>${escapeHtml(footer)}</p>`,
  ].join('\n')
  return { subject, text: text.join('\n\n'), html: `<!doctype html><html lang="${locale}"><body>\n${html}\n</body></html>` }
}

const asText = ({ sentence, link }: Lines[number]) => `${sentence}\n${link}`

function asHtml({ sentence, link }: Lines[number]): string {
  return `${escapeHtml(sentence)}<br><a href="${escapeHtml(link)}">${escapeHtml(link)}</a>`
}

/** One sentence about a notice, with its application. `table`: the file that its mail brings. */
export function sentenceOf(t: Translate, notice: Notice, table?: MonthlyTable): string {
  const about = happeningOf(t, notice)
  const whole = table && 'lacks' in table ? `${about} · ${t(table.lacks)}` : about
  return notice.applicationName === null ? whole : t('mails.inApplication', { application: notice.applicationName, sentence: whole })
}

/** The same without the application. */
export function happeningOf(t: Translate, { cause, operator, type, saved }: Notice): string {
  const where = operator && `${OPERATORS[operator].brand} ${t(`country.${OPERATORS[operator].country.name}`)}`
  const what = t(`mails.cause.${cause}`)
  const sentence = where ? t('mails.atOperator', { sentence: what, operator: type ? `${where}, ${t(`type.${type}`)}` : where }) : what
  return saved ? t('mails.savedMonth', { sentence, name: saved.name, month: groupWords(t, 'month')(saved.month) }) : sentence
}

/** The path of the page about a notice. */
export function pathOf({ cause, slug, subjectId, kind, wallet, day, operator, saved, decidesIn }: ConcerningNotice): string {
  if (slug === null) return '/'
  // Only changes are decided as a member of another application, the one that runs the installation.
  if (decidesIn !== null && decidesIn !== slug) return paths.changesElsewhere(decidesIn)
  switch (cause) {
    case 'approval_waiting':
    case 'approval_expiring':
      return `/${slug}/approvals`
    case 'balance_low':
      return `/${slug}/balances${operator ? `/${operator}` : ''}`
    case 'webhooks_failing':
      return `/${slug}/webhooks`
    case 'key_expiring':
      return `/${slug}/keys`
    case 'monthly_totals':
      return paths.pivot(slug, saved ? pivotOfMonth(saved.query, saved.month) : {})
    case 'operator_down':
    case 'float_short':
      return `/${slug}`
    case 'payment_rejected':
    case 'payment_expired':
    case 'payment_failed':
      return `/${slug}/transactions/${subjectId}`
    case 'batch_ended':
      return `/${slug}/batches/${subjectId}`
    case 'list_not_prepared':
      return `/${slug}/beneficiaries`
    case 'exception_overdue':
      return `/${slug}/close/exceptions/${subjectId}`
    case 'change_waiting':
    case 'change_expiring':
    case 'change_confirmed':
    case 'change_refused':
      return addressOfChange(slug, kind, wallet, day)
    case 'new_device':
    case 'new_passkey':
      return `/${slug}/settings`
  }
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
