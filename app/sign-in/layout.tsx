import type { ReactNode } from 'react'
import { Brand } from '#components/frame/brand.tsx'
import { OfflineBanner } from '#components/ui/online.tsx'
import { MessagesProvider } from '#components/ui/translations.tsx'
import { pickMessages } from '#lib/i18n/translate.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { MESSAGES } from '#server/messages.ts'
import { setLanguage } from '../actions/session.ts'

export default async function SignInLayout({ children }: { children: ReactNode }) {
  const [t, locale] = await Promise.all([getT(), readLocale()])
  const other = locale === 'en' ? 'fr' : 'en'
  return (
    <MessagesProvider
      locale={locale}
      timeZone="UTC"
      businessZone="UTC"
      messages={pickMessages(MESSAGES[locale], ['signIn.', 'enrol.', 'ui.', 'time.', 'invitation.', 'frame.offline', 'action.offline'])}
      serverNowMs={Date.now()}
    >
      <OfflineBanner />
      {/* Not in the middle: a card that grows while the page arrives would move what is already there. */}
      <div className="mx-auto w-full max-w-[432px] px-4 pt-[12svh] pb-8">
        <div className="rounded-lg border border-line bg-surface">
          <header className="flex items-center justify-between border-b border-line py-2.5 pr-3 pl-6">
            <Brand name={t('frame.product')} />
            <form action={setLanguage}>
              <input type="hidden" name="locale" value={other} />
              <button
                type="submit"
                lang={other}
                className="h-8 rounded-sm px-2 text-second text-ink-2 hover:bg-sunken hover:text-ink touch-target"
              >
                {t('frame.inOtherLanguage')}
              </button>
            </form>
          </header>
          <main className="p-6">{children}</main>
        </div>
      </div>
    </MessagesProvider>
  )
}
