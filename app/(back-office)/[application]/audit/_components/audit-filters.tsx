import { Button } from '#components/ui/button.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { Link } from '#components/ui/link.tsx'
import { AUDIT_ACTIONS } from '#lib/audit-actions.ts'
import { actionWords } from '#lib/audit-words.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/paths.ts'
import type { AuditListFilter } from '#lib/schemas/audit-address.ts'

type Props = {
  t: Translate
  application: string
  filter: Omit<AuditListFilter, 'before' | 'after'>
  members: readonly { personId: string; name: string }[]
  isFiltered: boolean
}

/** A plain form: the address holds the filter. */
export function AuditFilters({ t, application, filter, members, isFiltered }: Props) {
  const actions = AUDIT_ACTIONS.map((action) => ({ action, words: actionWords(t, action) }))
  return (
    <form method="get" action={paths.audit(application)} className="no-print flex flex-wrap items-end gap-3">
      <div className="min-w-36 flex-1 basis-36">
        <Select id="audit-who" name="who" label={t('audit.who')} defaultValue={filter.who ?? ''}>
          <option value="">{t('audit.anyone')}</option>
          <optgroup label={t('audit.people')}>
            {members.map(({ personId, name }) => (
              <option key={personId} value={personId}>
                {name}
              </option>
            ))}
          </optgroup>
          <optgroup label={t('audit.others')}>
            {(['system', 'api', 'operator'] as const).map((kind) => (
              <option key={kind} value={kind}>
                {t(`audit.by.${kind}`)}
              </option>
            ))}
          </optgroup>
        </Select>
      </div>
      <div className="min-w-36 flex-1 basis-40">
        <Select id="audit-action" name="action" label={t('audit.action')} defaultValue={filter.action ?? ''}>
          <option value="">{t('audit.anything')}</option>
          {actions.map(({ action, words }) => (
            <option key={action} value={action}>
              {words}
            </option>
          ))}
        </Select>
      </div>
      <div className="min-w-36">
        <TextField id="audit-from" name="from" type="date" label={t('audit.from')} defaultValue={filter.from ?? ''} />
      </div>
      <div className="min-w-36">
        <TextField id="audit-to" name="to" type="date" label={t('audit.to')} defaultValue={filter.to ?? ''} />
      </div>
      <div className="min-w-40 flex-1 basis-40">
        <TextField
          id="audit-subject"
          name="subject"
          type="search"
          label={t('audit.subject')}
          placeholder={t('audit.subjectHint')}
          defaultValue={filter.subject ?? ''}
          maxLength={400}
        />
      </div>
      <Button type="submit">{t('ui.apply')}</Button>
      {isFiltered && (
        <Link href={paths.audit(application)} className="py-1 text-accent hover:underline">
          {t('ui.clear')}
        </Link>
      )}
    </form>
  )
}
