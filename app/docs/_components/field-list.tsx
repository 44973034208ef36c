import type { Translate } from '#lib/i18n/translate.ts'
import type { ReferenceField } from '#lib/reference.ts'
import { Code, Inline } from './prose.tsx'
import { PlaceLink } from './section.tsx'

type Props = { t: Translate; fields: readonly ReferenceField[]; place: string; hasRequired?: boolean }

/** Fields with their type, rules and meaning. `place`: the beginning of their places in the page. */
export function FieldList({ t, fields, place, hasRequired = true }: Props) {
  return (
    <dl className="divide-y divide-line border-y border-line">
      {fields.map((field) => (
        <div
          key={field.name}
          id={`${place}-${field.name}`}
          className="scroll-mt-20 py-2.5 target:bg-accent-soft target:shadow-[-8px_0_0_var(--accent-soft),8px_0_0_var(--accent-soft)]"
        >
          <dt className="flex flex-wrap items-baseline gap-x-2">
            <PlaceLink id={`${place}-${field.name}`} className="font-mono font-strong wrap-anywhere">
              {field.name}
            </PlaceLink>
            <span lang="en" className="text-second text-quiet">
              {[field.type, ...field.rules].join(', ')}
            </span>
            {hasRequired && (
              <span className="text-second font-medium text-ink-2">{t(field.isRequired ? 'docs.required' : 'docs.optional')}</span>
            )}
          </dt>
          <dd className="mt-0.5 grid gap-1">
            <p lang="en" className="max-w-[68ch] text-ink-2">
              <Inline text={field.description} />.
            </p>
            {field.values.length > 0 && (
              <p className="flex flex-wrap items-baseline gap-1 text-second text-quiet">
                {t('docs.values')}
                {field.values.map((value) => (
                  <Code key={value}>{value}</Code>
                ))}
              </p>
            )}
            {field.example !== undefined && (
              <p className="text-second text-quiet">
                {t('docs.exampleValue')} <Code>{field.example}</Code>
              </p>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
