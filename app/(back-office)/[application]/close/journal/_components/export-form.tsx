import { Button } from '#components/ui/button.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { LOCALES, type Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { CURRENCIES } from '#lib/money/money.ts'
import { paths } from '#lib/pages/paths.ts'
import { JOURNAL_FORMATS } from '#lib/reconciliation/journal.ts'

type Props = { t: Translate; locale: Locale; application: string; period: { from: string; to: string }; currency: string }

/** The file of a period for a bookkeeping program, as a form that needs no script: its answer is the download. */
export function ExportForm({ t, locale, application, period, currency }: Props) {
  return (
    <section className="no-print mt-6" aria-labelledby="journal-export">
      <h2 id="journal-export">{t('journal.export')}</h2>
      <p className="mt-1 max-w-2xl text-ink-2">{t('journal.exportText')}</p>
      <form action={paths.data(application, 'journal')} className="mt-3 grid max-w-3xl gap-3 sm:grid-cols-3">
        <TextField id="export-from" name="from" type="date" required label={t('journal.from')} defaultValue={period.from} />
        <TextField id="export-to" name="to" type="date" required label={t('journal.to')} defaultValue={period.to} />
        <Select id="export-currency" name="currency" label={t('journal.currency')} defaultValue={currency}>
          {CURRENCIES.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </Select>
        <Select id="export-format" name="format" label={t('journal.format')}>
          {JOURNAL_FORMATS.map((format) => (
            <option key={format} value={format}>
              {t(`journal.format.${format}`)}
            </option>
          ))}
        </Select>
        <Select id="export-language" name="language" label={t('journal.language')} defaultValue={locale}>
          {LOCALES.map((language) => (
            <option key={language} value={language}>
              {t(`journal.language.${language}`)}
            </option>
          ))}
        </Select>
        <TextField
          id="export-after"
          name="after"
          label={t('journal.after')}
          hint={t('journal.afterHint')}
          inputMode="numeric"
          pattern="\d*"
          maxLength={15}
        />
        <div className="sm:col-span-3">
          <Button type="submit" variant="primary">
            {t('journal.download')}
          </Button>
        </div>
      </form>
    </section>
  )
}
