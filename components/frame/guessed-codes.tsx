import { TimeText } from '#components/domain/time-text.tsx'
import { ActionForm } from '#components/ui/action-form.tsx'
import { Button, ButtonLink } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/empty-state.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/paths.ts'

type GuessedCodesProps = { t: Translate; application: string; at: Date; dismiss: (form: FormData) => Promise<void> }

/** Tells a person that somebody entered many wrong one-time codes for them, on every page until they answer. */
export function GuessedCodes({ t, application, at, dismiss }: GuessedCodesProps) {
  return (
    <div className="no-print mb-4">
      <Notice
        tone="bad"
        action={
          <div className="flex flex-wrap gap-2">
            <ButtonLink href={paths.settings(application)}>{t('frame.guessedChange')}</ButtonLink>
            <ActionForm action={dismiss}>
              <Button type="submit">{t('frame.guessedMine')}</Button>
            </ActionForm>
          </div>
        }
      >
        {t('frame.guessed')} <TimeText at={at.toISOString()} />. {t('frame.guessedAdvice')}
      </Notice>
    </div>
  )
}
