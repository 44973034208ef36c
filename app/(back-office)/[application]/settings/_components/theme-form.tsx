import { ActionForm } from '#components/ui/action-form.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { THEMES, type Theme } from '#lib/viewer.ts'

/** Three buttons, one of them pressed. Works without script. */
export function ThemeForm({ t, theme, action }: { t: Translate; theme: Theme; action: (form: FormData) => Promise<void> }) {
  const words = { system: t('frame.themeSystem'), light: t('frame.themeLight'), dark: t('frame.themeDark') }
  return (
    <ActionForm action={action} className="grid max-w-sm grid-cols-3 gap-1.5">
      {THEMES.map((choice) => (
        <button
          key={choice}
          type="submit"
          name="theme"
          value={choice}
          aria-pressed={choice === theme}
          className="h-8 rounded-sm border border-line-2 px-2 text-ink-2 hover:bg-sunken aria-pressed:border-accent aria-pressed:font-strong aria-pressed:text-ink touch-target"
        >
          {words[choice]}
        </button>
      ))}
    </ActionForm>
  )
}
