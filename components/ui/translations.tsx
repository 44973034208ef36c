'use client'

import { createContext, type ReactNode, useContext, useMemo, useSyncExternalStore } from 'react'
import type { Locale } from '#lib/i18n/locale.ts'
import { createTranslate, type Messages, type Translate } from '#lib/i18n/translate.ts'

/** `timeZone`: for clock times, as the person chose. `businessZone`: for days, the same for everybody in the application. */
type Zones = { timeZone: string; businessZone: string }
/** `readerId`: the person who is signed in, null without a session. What a tab keeps is kept for one person. */
type Translations = Zones & { locale: Locale; messages: Messages; serverNowMs: number; readerId: string | null; t: Translate }

const TranslationsContext = createContext<Translations | null>(null)

type Props = Omit<Translations, 't' | 'readerId'> & { readerId?: string | null; children: ReactNode }

/** Provides client components with language, time zones and the instant of the server's render. */
export function MessagesProvider({ locale, timeZone, businessZone, messages, serverNowMs, readerId = null, children }: Props) {
  const words = useMemo(
    () => ({ locale, timeZone, businessZone, messages, serverNowMs, readerId, t: createTranslate(locale, messages) }),
    [locale, timeZone, businessZone, messages, serverNowMs, readerId],
  )
  return <TranslationsContext value={words}>{children}</TranslationsContext>
}

/** Adds the messages of one page to those of the frame, for the client components inside it. */
export function PageMessages({ messages, children }: { messages: Messages; children: ReactNode }) {
  const outer = useTranslations()
  const words = useMemo(() => {
    const all = { ...outer.messages, ...messages }
    return { ...outer, messages: all, t: createTranslate(outer.locale, all) }
  }, [outer, messages])
  return <TranslationsContext value={words}>{children}</TranslationsContext>
}

/** Returns language, time zones and messages. Throws outside a MessagesProvider: that is a bug. */
export function useTranslations(): Translations {
  const words = useContext(TranslationsContext)
  if (!words) throw new Error('useTranslations needs a MessagesProvider above it')
  return words
}

/** Returns the function from key to text. */
export function useT(): Translate {
  return useTranslations().t
}

const TICK_MS = 15_000
let tickedAtMs = 0
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  tickedAtMs ||= Date.now()
  timer ??= setInterval(() => {
    tickedAtMs = Date.now()
    for (const each of listeners) each()
  }, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) {
      clearInterval(timer)
      timer = undefined
      tickedAtMs = 0
    }
  }
}

/** Returns the current instant, updated every 15 s by one timer per page; during hydration, the instant of the server's render. */
export function useNow(): Date {
  const { serverNowMs } = useTranslations()
  const nowMs = useSyncExternalStore(
    subscribe,
    () => tickedAtMs || serverNowMs,
    () => serverNowMs,
  )
  return new Date(nowMs)
}
