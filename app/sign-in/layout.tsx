import type { ReactNode } from 'react'
import { Brand } from '#components/frame/brand.tsx'
import { MessagesProvider } from '#components/ui/translations.tsx'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { setLanguage } from '../actions/preferences.ts'

export default async function SignInLayout({ children }: { children: ReactNode }) {
  const [t, locale] = await Promise.all([getT(), readLocale()])
  const other = locale === 'en' ? 'fr' : 'en'
  return (
    <div className="mx-auto flex min-h-dvh w-full max-w-[400px] flex-col px-5 py-8">
      <header className="flex items-center justify-between">
        <Brand name={t('frame.product')} />
        <form action={setLanguage}>
          <input type="hidden" name="locale" value={other} />
          <button type="submit" lang={other} className="h-8 rounded-sm px-2 text-second text-ink-2 hover:bg-sunken hover:text-ink">
            {t('frame.inOtherLanguage')}
          </button>
        </form>
      </header>
      <main className="my-auto py-10">
        <MessagesProvider
          locale={locale}
          timeZone="UTC"
          messages={pickMessages(MESSAGES[locale], ['signIn.', 'enrol.', 'ui.'])}
          serverNowMs={Date.now()}
        >
          {children}
        </MessagesProvider>
      </main>
    </div>
  )
}
