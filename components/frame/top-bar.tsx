import type { ReactNode } from 'react'
import { ActionForm } from '#components/ui/action-form.tsx'
import { Badge, Kbd } from '#components/ui/display/badge.tsx'
import { Icon } from '#components/ui/display/icon.tsx'
import { MENU_ITEM, MenuHeading, MenuRule, Popover } from '#components/ui/overlay/popover.tsx'
import { LOCALES } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { THEMES, type Theme, type Viewer } from '#lib/people/viewer.ts'
import { Initials } from './brand.tsx'
import { SearchField } from './search-field.tsx'

/** The actions of the menus, passed in by the layout because components do not import the server. */
export type FrameActions = {
  setTheme: (form: FormData) => Promise<void>
  setLanguage: (form: FormData) => Promise<void>
  signOut: () => Promise<void>
  signOutEverywhere: () => Promise<void>
}

export const SEARCH_ID = 'search-box'

/** Each language in its own words. */
const LANGUAGE_NAMES = { en: 'frame.english', fr: 'frame.french' } as const

type Props = { t: Translate; viewer: Viewer; theme: Theme; isSandbox: boolean; actions: FrameActions }

/** The bar above every page: application, sandbox mark, search, language and person. */
export function TopBar({ t, viewer, theme, isSandbox, actions }: Props) {
  const { application } = viewer
  return (
    <header className="no-print flex h-13 items-center gap-2.5 border-b border-line px-4 md:px-6">
      <ApplicationSwitcher t={t} viewer={viewer} />
      {isSandbox && (
        <Badge tone="wait">
          <span className="hidden xl:inline">{t('frame.sandbox')}</span>
          <span className="xl:hidden">{t('frame.sandboxShort')}</span>
        </Badge>
      )}
      {viewer.hasInvitations && (
        <a href={paths.invitations()} className="hidden text-accent whitespace-nowrap hover:underline sm:inline">
          {t('frame.invitations')}
        </a>
      )}
      <search className="ml-auto hidden w-56 min-w-0 md:block lg:w-[340px]">
        <SearchForm t={t} application={application.slug} id={SEARCH_ID} hasKey />
      </search>
      <a
        href={paths.search(application.slug)}
        aria-label={t('frame.search')}
        className="ml-auto flex size-10 items-center justify-center rounded-sm text-ink-2 md:hidden"
      >
        <Icon name="search" className="size-5" />
      </a>
      <LanguageMenu t={t} viewer={viewer} action={actions.setLanguage} />
      <PersonMenu t={t} viewer={viewer} theme={theme} actions={actions} />
    </header>
  )
}

/** A form that opens the search page. It works before any script has loaded. */
export function SearchForm({
  t,
  application,
  id,
  hasKey = false,
  value = '',
}: {
  t: Translate
  application: string
  id: string
  hasKey?: boolean
  value?: string
}) {
  return (
    <form action={paths.search(application)} className="relative">
      <label htmlFor={id} className="sr-only">
        {t('frame.search')}
      </label>
      <SearchField id={id} application={application} value={value} placeholder={t('frame.searchPlaceholder')} />
      {hasKey && (
        <span aria-hidden="true" className="pointer-events-none absolute inset-y-0 right-2 flex items-center">
          <Kbd>/</Kbd>
        </span>
      )}
    </form>
  )
}

function ApplicationSwitcher({ t, viewer }: { t: Translate; viewer: Viewer }) {
  const { application, applications } = viewer
  const mark = (
    <span
      aria-hidden="true"
      className="flex size-5 shrink-0 items-center justify-center rounded-[5px] bg-ink text-[11px] font-strong text-paper"
    >
      {application.name.slice(0, 1).toUpperCase()}
    </span>
  )
  if (applications.length < 2) {
    return (
      <span className="flex min-w-0 items-center gap-2 font-strong">
        {mark}
        <span className="truncate">{application.name}</span>
      </span>
    )
  }
  return (
    <Popover
      id="application-menu"
      label={t('frame.switchApplication')}
      triggerClass="-mx-1.5 flex h-9 min-w-0 items-center gap-2 rounded-sm px-1.5 font-strong hover:bg-sunken"
      trigger={
        <>
          {mark}
          <span className="truncate">{application.name}</span>
          <Icon name="chevron" className="size-3.5 text-ink-3" />
        </>
      }
    >
      <MenuHeading>{t('frame.application')}</MenuHeading>
      {applications.map((choice) => (
        <a key={choice.slug} href={paths.overview(choice.slug)} aria-current={choice.slug === application.slug} className={MENU_ITEM}>
          {choice.name}
        </a>
      ))}
    </Popover>
  )
}

function LanguageMenu({ t, viewer, action }: { t: Translate; viewer: Viewer; action: FrameActions['setLanguage'] }) {
  return (
    <Popover
      id="language-menu"
      align="end"
      label={`, ${t('frame.language')}`}
      triggerClass="hidden h-8 rounded-sm px-2 font-medium text-ink-2 hover:bg-sunken hover:text-ink sm:block"
      trigger={viewer.locale.toUpperCase()}
    >
      <ActionForm action={action}>
        {LOCALES.map((locale) => (
          <button
            key={locale}
            type="submit"
            name="locale"
            value={locale}
            lang={locale}
            aria-current={locale === viewer.locale}
            className={MENU_ITEM}
          >
            {t(LANGUAGE_NAMES[locale])}
          </button>
        ))}
      </ActionForm>
    </Popover>
  )
}

function PersonMenu({ t, viewer, theme, actions }: { t: Translate; viewer: Viewer; theme: Theme; actions: FrameActions }) {
  const themeWords = { system: t('frame.themeSystem'), light: t('frame.themeLight'), dark: t('frame.themeDark') }
  return (
    <Popover
      id="person-menu"
      align="end"
      label={t('frame.personMenu', { name: viewer.name })}
      triggerClass="rounded-full touch-target"
      panelClass="w-64"
      trigger={<Initials name={viewer.name} />}
    >
      <div className="px-2.5 py-1.5">
        <p dir="auto" className="text-left font-strong">
          {viewer.name}
        </p>
        <p className="truncate text-second text-quiet">{viewer.email}</p>
        <p className="text-second text-quiet">{viewer.roles.map((role) => t(`role.${role}`)).join(', ')}</p>
      </div>
      <MenuRule />
      <ActionForm action={actions.setTheme}>
        <MenuHeading>{t('frame.theme')}</MenuHeading>
        <div className="grid grid-cols-3 gap-1 px-1.5 pb-1">
          {THEMES.map((choice) => (
            <MenuChoice key={choice} name="theme" value={choice} isChosen={choice === theme}>
              {themeWords[choice]}
            </MenuChoice>
          ))}
        </div>
      </ActionForm>
      <ActionForm action={actions.setLanguage}>
        <MenuHeading>{t('frame.language')}</MenuHeading>
        <div className="grid grid-cols-2 gap-1 px-1.5 pb-1">
          {LOCALES.map((locale) => (
            <MenuChoice key={locale} name="locale" value={locale} lang={locale} isChosen={locale === viewer.locale}>
              {t(LANGUAGE_NAMES[locale])}
            </MenuChoice>
          ))}
        </div>
      </ActionForm>
      <MenuRule />
      {viewer.hasInvitations && (
        <a href={paths.invitations()} className={`${MENU_ITEM} text-accent`}>
          <Icon name="people" className="size-4" />
          {t('frame.invitations')}
        </a>
      )}
      <a href={paths.settings(viewer.application.slug)} className={MENU_ITEM}>
        <Icon name="settings" className="size-4 text-ink-3" />
        {t('frame.settings')}
      </a>
      <button type="button" data-keyboard-help popoverTarget="person-menu" popoverTargetAction="hide" className={MENU_ITEM}>
        <Icon name="keyboard" className="size-4 text-ink-3" />
        {t('keys.open')}
      </button>
      <MenuRule />
      <ActionForm action={actions.signOut}>
        <button type="submit" className={MENU_ITEM}>
          <Icon name="leave" className="size-4 text-ink-3" />
          {t('frame.signOut')}
        </button>
      </ActionForm>
      <ActionForm action={actions.signOutEverywhere}>
        <button type="submit" className={MENU_ITEM}>
          <Icon name="shield" className="size-4 text-ink-3" />
          {t('frame.signOutEverywhere')}
        </button>
      </ActionForm>
    </Popover>
  )
}

type MenuChoiceProps = { name: string; value: string; isChosen: boolean; lang?: string; children: ReactNode }

function MenuChoice({ name, value, isChosen, lang, children }: MenuChoiceProps) {
  return (
    <button
      type="submit"
      name={name}
      value={value}
      lang={lang}
      aria-pressed={isChosen}
      className="min-h-7 rounded-sm border border-line-2 px-1.5 py-0.5 text-second text-ink-2 hover:bg-sunken aria-pressed:border-accent aria-pressed:font-strong aria-pressed:text-ink touch-target"
    >
      {children}
    </button>
  )
}
