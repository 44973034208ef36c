import { Fragment, type ReactNode } from 'react'
import { Brand } from '#components/frame/brand.tsx'
import { NavLink } from '#components/frame/nav-link.tsx'
import { Icon } from '#components/ui/display/icon.tsx'
import { MENU_ITEM, MenuHeading, Popover } from '#components/ui/overlay/popover.tsx'
import { MessagesProvider } from '#components/ui/translations.tsx'
import { LOCALES } from '#lib/i18n/locale.ts'
import { type MessageKey, pickMessages, type Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { GUIDES, type Guide } from '#lib/partner/guides.ts'
import type { ReferenceOperation } from '#lib/partner/reference.ts'
import { THEMES } from '#lib/people/viewer.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { currentPerson } from '#server/back-office/current-person.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { readReference } from '#server/http/reference/read-reference.ts'
import { MESSAGES } from '#server/messages.ts'
import { setLanguage, setTheme } from '../actions/session.ts'
import { LinkCopier } from './_components/link-copier.tsx'
import { ReaderChoice } from './_components/run/reader-choice.tsx'
import { SearchBox } from './_components/search-box.tsx'
import { type Reader, readReader } from './read-reader.ts'

const SKIP_LINK = 'sr-only z-50 rounded-sm bg-surface px-3 py-2 font-strong focus:not-sr-only focus:fixed focus:top-2 focus:left-2'
const MENU_TRIGGER = 'flex h-8 items-center rounded-sm px-2 font-medium text-ink-2 hover:bg-sunken hover:text-ink touch-target'

/** The texts of client components; the second are for those that only a reader who is signed in has. */
const WORDS = ['docs.', 'ui.'] as const
const RUN_WORDS = ['run.', 'action.', 'state.part', 'state.reload', 'frame.signIn'] as const

/**
 * The frame of the API reference. It is public: nothing here depends on who looks at it, except the link to the back office and the values of
 * an engineer who is signed in.
 */
export default async function DocsLayout({ children }: { children: ReactNode }) {
  const [t, locale, person, reader] = await Promise.all([getT(), readLocale(), currentPerson(), readReader()])
  const operations = [...readReference().operations.values()]
  return (
    <MessagesProvider
      locale={locale}
      timeZone="UTC"
      businessZone="UTC"
      messages={pickMessages(MESSAGES[locale], reader ? [...WORDS, ...RUN_WORDS] : WORDS)}
      serverNowMs={Date.now()}
    >
      <a href="#content" className={SKIP_LINK}>
        {t('docs.skip')}
      </a>
      <header className="no-print sticky top-0 z-30 border-b border-line bg-paper">
        <div className="mx-auto flex h-13 max-w-[1320px] items-center gap-3 px-4 lg:px-5">
          <a href={paths.docs()} className="shrink-0 lg:w-51">
            <span className="max-sm:[&_span]:text-[0px]">
              <Brand name={t('frame.product')} />
            </span>
          </a>
          <SearchBox />
          <div className="ml-auto flex items-center gap-1">
            <span className="lg:hidden">
              <Popover
                id="docs-contents"
                align="end"
                label={t('docs.navigation')}
                triggerClass={MENU_TRIGGER}
                trigger={<Icon name="menu" />}
                panelClass="w-72 p-3"
              >
                <DocsNavigation t={t} operations={operations} />
              </Popover>
            </span>
            <Preferences t={t} />
            <a
              href={person ? paths.home() : paths.signIn()}
              className="hidden h-8 items-center rounded-sm px-2 font-medium text-accent hover:underline sm:flex touch-target"
            >
              {t(person ? 'docs.backOffice' : 'docs.signIn')}
            </a>
          </div>
        </div>
      </header>
      <div className="mx-auto max-w-[1320px] lg:grid lg:grid-cols-[240px_minmax(0,1fr)]">
        <aside className="no-print sticky top-13 hidden h-[calc(100dvh-52px)] overflow-y-auto border-r border-line px-3 py-5 lg:block">
          <DocsNavigation t={t} operations={operations} />
        </aside>
        <main id="content" tabIndex={-1} className="min-w-0 px-4 pt-6 pb-24 lg:px-10">
          <ReaderNote t={t} person={person} reader={reader} />
          {children}
        </main>
      </div>
      <LinkCopier />
    </MessagesProvider>
  )
}

type ReaderNoteProps = { t: Translate; person: unknown; reader: Reader | undefined }

/** Whose values the examples have; without a session, that they can have one's own. */
function ReaderNote({ t, person, reader }: ReaderNoteProps) {
  if (!reader) {
    if (person || !backOfficeRuntime().config.isSandbox) return null
    return (
      <p className="mb-4 text-quiet">
        {t('reader.hint')}{' '}
        <a href={paths.signIn(paths.docs())} className="text-accent underline">
          {t('docs.signIn')}
        </a>
      </p>
    )
  }
  const { application, applications, canRun } = reader
  return (
    <div className="no-print mb-4 grid max-w-[860px] gap-2 rounded-md bg-sunken px-3 py-2 text-ink-2">
      <p>
        {t(canRun ? 'reader.canRun' : 'reader.filledIn', { application: application.name })}{' '}
        <a href={paths.keys(application.slug)} className="text-accent underline">
          {t('reader.keys')}
        </a>
      </p>
      {applications.length > 1 && <ReaderChoice application={application} applications={applications} />}
    </div>
  )
}

function Preferences({ t }: { t: Translate }) {
  const themes = { system: t('frame.themeSystem'), light: t('frame.themeLight'), dark: t('frame.themeDark') }
  return (
    <Popover
      id="docs-preferences"
      align="end"
      label={`${t('docs.language')}, ${t('docs.theme')}`}
      triggerClass={MENU_TRIGGER}
      trigger={<Icon name="settings" />}
    >
      <form action={setLanguage}>
        <MenuHeading>{t('docs.language')}</MenuHeading>
        {LOCALES.map((locale) => (
          <button key={locale} type="submit" name="locale" value={locale} lang={locale} className={MENU_ITEM}>
            {t(locale === 'en' ? 'frame.english' : 'frame.french')}
          </button>
        ))}
      </form>
      <form action={setTheme}>
        <MenuHeading>{t('docs.theme')}</MenuHeading>
        {THEMES.map((theme) => (
          <button key={theme} type="submit" name="theme" value={theme} className={MENU_ITEM}>
            {themes[theme]}
          </button>
        ))}
      </form>
      <MenuHeading>{t('docs.title')}</MenuHeading>
      <a href="/api/v1/openapi.json" className={MENU_ITEM}>
        <Icon name="download" />
        {t('docs.openapi')}
      </a>
      <a href="/api/v2/openapi.json" className={MENU_ITEM}>
        <Icon name="download" />
        {t('docs.openapiV2')}
      </a>
      <a href={paths.home()} className={`${MENU_ITEM} sm:hidden`}>
        <Icon name="leave" />
        {t('docs.backOffice')}
      </a>
    </Popover>
  )
}

const TAG_TITLES: Record<string, MessageKey> = {
  Payments: 'docs.tag.payments',
  'Payments with a key': 'docs.tag.keyedPayments',
  Batches: 'docs.tag.batches',
  Status: 'docs.tag.status',
  Approvals: 'docs.tag.approvals',
  Lists: 'docs.tag.lists',
  'Totals and balances': 'docs.tag.totals',
  Tokens: 'docs.tag.tokens',
  Transactions: 'docs.tag.transactions',
  Operators: 'docs.tag.operators',
  Settlements: 'docs.tag.settlements',
}

const ITEM = `flex min-h-7 items-center gap-2 rounded-sm px-2 py-1 text-ink-2 hover:bg-sunken hover:text-ink touch-target
  aria-[current=page]:bg-sunken aria-[current=page]:font-medium aria-[current=page]:text-ink`

type Props = { t: Translate; operations: readonly ReferenceOperation[] }

/** Every page of the reference: guides, then operations by subject. */
function DocsNavigation({ t, operations }: Props) {
  const byTag = Map.groupBy(operations, ({ tag }) => tag)
  return (
    <nav aria-label={t('docs.navigation')} className="grid gap-4">
      <Group title={t('docs.guides')}>
        {(Object.keys(GUIDES) as Guide[]).map((guide) => (
          <li key={guide}>
            <NavLink href={paths.docs(guide === 'start' ? undefined : guide)} isExact className={ITEM}>
              {t(`docs.guide.${guide}`)}
            </NavLink>
          </li>
        ))}
      </Group>
      {[...byTag].map(([tag, ofTag]) => (
        <Group key={tag} title={t(TAG_TITLES[tag] ?? 'docs.title')}>
          {ofTag.map(({ id, path }) => (
            <li key={id}>
              <NavLink href={paths.docs(id)} isExact className={`${ITEM} wrap-anywhere`}>
                <Name text={path.slice(path.lastIndexOf('/') + 1)} />
              </NavLink>
            </li>
          ))}
        </Group>
      ))}
    </nav>
  )
}

/** A name in camel case, which may break before a capital. */
function Name({ text }: { text: string }) {
  return (
    <span>
      {text.split(/(?=[A-Z])/).map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a name never change their order.
        <Fragment key={index}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </span>
  )
}

function Group({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <div>
      <p className="px-2 pb-1 text-second font-medium text-quiet">{title}</p>
      <ul className="grid gap-px">{children}</ul>
    </div>
  )
}
