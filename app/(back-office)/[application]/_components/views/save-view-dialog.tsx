import { useForm } from 'react-hook-form'
import { fieldProps } from '#components/form/field-props.ts'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Checkbox, TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { MONTHLY_HOUR, type MonthlySending, type SavedView, type ViewList } from '#lib/people/saved-views.ts'
import { zoneWords } from '#lib/time/format-time.ts'
import { changeView, saveView } from '../../../../actions/saved-views.ts'

const REFUSALS = {
  too_many: 'views.tooMany',
  name_taken: 'views.nameTaken',
  not_found: 'views.gone',
  only_totals: 'views.onlyTotals',
} as const

type Props = {
  application: string
  list: ViewList
  query: string /** The view to change; null saves a new one. */
  view: SavedView | null
  /** How a month reaches its owner; null: the pages of this list are not sent. */
  monthly: MonthlySending | null
  onClose: () => void
}

type Values = { name: string; isShared: boolean; isSentMonthly: boolean }

/** Saves a view under a name, for oneself or for everybody and with its months sent or not, or changes all of it of a saved one. */
export function SaveViewDialog({ application, list, query, view, monthly, onClose }: Props) {
  const t = useT()
  const form = useForm<Values>({
    defaultValues: { name: view?.name ?? '', isShared: view?.isShared ?? false, isSentMonthly: view?.isSentMonthly ?? false },
  })
  const { run, isPending, error } = useAction(
    (input: Values) =>
      view ? changeView(application, { viewId: view.viewId, ...input }) : saveView(application, { list, query, ...input }),
    { words: REFUSALS, said: ({ name }) => t('views.saved', { name }), refreshes: 'done', onDone: onClose },
  )
  return (
    <FormDialog
      title={t(view ? 'views.changeTitle' : 'views.saveTitle')}
      submitLabel={t('views.saveSubmit')}
      isPending={isPending}
      error={error}
      onSubmit={form.handleSubmit((input) => run(input))}
      onClose={onClose}
    >
      <TextField
        {...fieldProps(form, 'name', t)}
        {...form.register('name', { required: 'form.field.required', validate: (name) => name.trim() !== '' || 'form.field.required' })}
        label={t('views.name')}
        {...(view ? {} : { hint: t('views.nameHint') })}
        maxLength={80}
        autoFocus
      />
      <Checkbox {...form.register('isShared')} label={t('views.share')} />
      {monthly && (
        <div>
          <Checkbox {...form.register('isSentMonthly')} label={t('views.monthly')} aria-describedby="monthly-help" />
          <p id="monthly-help" className="mt-1 text-second text-quiet wrap-anywhere">
            {t(`views.monthlyHelp.${monthly.by}`, { hour: MONTHLY_HOUR, zone: zoneWords(t, monthly.zone), email: monthly.email })}
          </p>
        </div>
      )}
    </FormDialog>
  )
}
