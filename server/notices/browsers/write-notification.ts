import type { Locale } from '#lib/i18n/locale.ts'
import { createTranslate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { MESSAGES } from '#server/messages.ts'
import { type ConcerningNotice, distinctOf, happeningOf, pathOf, sentenceOf } from '../mail/write-mail.ts'

/** As the worker of the browser reads it (`public/push-worker.js`). Of two with one `tag`, the later one replaces the earlier. */
export type Notification = { title: string; body: string; path: string; lang: Locale; tag: string }

const PRODUCT = 'Countersign'
/** More does not fit on a screen, nor in the 4 KB that a push service takes. */
const LINES_MAX = 4
const LINE_LENGTH_MAX = 200

/** Writes one notification about one or several notices: what mails say of them, without their lists and files. It leads to a page and decides nothing. */
export function writeNotification(
  notices: readonly ConcerningNotice[],
  { locale, messageId }: { locale: Locale; messageId: string },
): Notification {
  const t = createTranslate(locale, MESSAGES[locale])
  const distinct = distinctOf(notices)
  const [first] = distinct
  const isOne = distinct.length === 1 && first !== undefined
  const lines = isOne ? [happeningOf(t, first)] : distinct.slice(0, LINES_MAX).map((notice) => sentenceOf(t, notice))
  return {
    title: isOne ? (first.applicationName ?? PRODUCT) : t('mails.digest', { count: distinct.length }),
    body: lines.map((line) => line.slice(0, LINE_LENGTH_MAX).toWellFormed()).join('\n'),
    path: commonPath(distinct),
    lang: locale,
    tag: messageId.replaceAll('-', ''),
  }
}

/** The page about all of them: their own, or the list of what waits in their application, or the start. */
function commonPath(notices: readonly ConcerningNotice[]): string {
  const [own, ...others] = new Set(notices.map(pathOf))
  if (own !== undefined && others.length === 0) return own
  const [slug, ...elsewhere] = new Set(notices.map(({ slug, decidesIn }) => decidesIn ?? slug))
  return slug && elsewhere.length === 0 ? paths.waiting(slug) : '/'
}

/** The notification of a test, which leads to the settings. */
export function testNotification(locale: Locale, slug: string): Notification {
  const t = createTranslate(locale, MESSAGES[locale])
  return { title: PRODUCT, body: t('settings.browsers.testText'), path: paths.settings(slug), lang: locale, tag: 'test' }
}
