import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import type { ReferenceCause, ReferenceField, ReferenceOperation, SampleLanguage } from '#lib/partner/reference.ts'
import { CodeBlock, OperationSamples } from './code-block.tsx'
import { Code, Description, Inline, PlaceLink, Section } from './prose.tsx'

type Props = { t: Translate; locale: Locale; operation: ReferenceOperation; language: SampleLanguage }

/** One operation: what it does, what it takes, what it returns, why it refuses; examples beside it where there is room. */
export function OperationPage({ t, locale, operation, language }: Props) {
  const { method, path, summary, description, isOpen, parameters, body, answer, causes } = operation
  return (
    <article>
      {locale !== 'en' && <p className="mb-4 text-quiet">{t('docs.englishOnly')}</p>}
      <header>
        <h1 lang="en" className="text-figure">
          {summary}
        </h1>
        <p className="mt-2 flex flex-wrap items-baseline gap-2 font-mono">
          <span className="font-strong">{method}</span>
          <span className="wrap-anywhere">{path}</span>
        </p>
      </header>
      <div className="mt-5 grid grid-cols-[minmax(0,1fr)] gap-x-10 gap-y-6 xl:grid-cols-[minmax(0,1fr)_minmax(0,460px)]">
        <div className="min-w-0">
          <Description text={description} />
          {isOpen && <p className="mt-3 text-ink-2">{t('docs.open')}</p>}
          {parameters.length > 0 && (
            <Section id="query" title={t('docs.parameters')}>
              <FieldList t={t} fields={parameters} place="query" />
            </Section>
          )}
          {body && (
            <Section id="body" title={t('docs.body')}>
              {body.array && (
                <p lang="en" className="text-ink-2">
                  {body.array}
                </p>
              )}
              <FieldList t={t} fields={body.fields} place="body" />
            </Section>
          )}
          {parameters.length === 0 && !body && <p className="mt-6 text-ink-2">{t('docs.noInput')}</p>}
        </div>
        <aside aria-label={t('docs.example')} className="min-w-0">
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4 xl:sticky xl:top-18 xl:max-h-[calc(100dvh-88px)] xl:overflow-y-auto">
            <OperationSamples title={t('docs.example')} operation={operation} initial={language} />
            {answer.examples.map(({ name, summary: title, json }) => (
              <CodeBlock key={name} label={`200: ${title}`} labelLang="en" source={json} />
            ))}
          </div>
        </aside>
      </div>
      <div className="max-w-[860px]">
        <Section id="response" title={t('docs.response')}>
          <p lang="en" className="text-ink-2">
            <Code>200</Code> {answer.description}
            {answer.shape === 'array' && ' An array of objects with these fields:'}
            {answer.shape === 'number' && ' The body is a single JSON number, exact to the last digit.'}
          </p>
          {answer.fields.length > 0 && <FieldList t={t} fields={answer.fields} place="response" hasRequired={false} />}
        </Section>
        <Section id="errors" title={t('docs.errors')}>
          <CauseList t={t} causes={causes} />
        </Section>
      </div>
    </article>
  )
}

type FieldListProps = { t: Translate; fields: readonly ReferenceField[]; place: string; hasRequired?: boolean }

/** Fields with their type, rules and meaning. `place`: the beginning of their places in the page. */
export function FieldList({ t, fields, place, hasRequired = true }: FieldListProps) {
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

type Cause = ReferenceCause & { key?: string; operations?: readonly string[] }

/** Reasons for refusals: the cause, the message that tells it, and what to do. */
export function CauseList({ t, causes }: { t: Translate; causes: readonly Cause[] }) {
  return (
    <dl className="divide-y divide-line border-y border-line">
      {causes.map((cause) => {
        const place = cause.key ?? `error-${cause.status}-${cause.id}`
        return (
          <div key={place} id={place} className="scroll-mt-20 py-2.5 target:bg-accent-soft">
            <dt lang="en" className="flex items-baseline gap-2.5">
              <span className="shrink-0 font-mono text-second text-quiet tabular">{cause.status}</span>
              <PlaceLink id={place} className="font-medium">
                {cause.cause}
              </PlaceLink>
            </dt>
            <dd lang="en" className="mt-0.5 grid gap-0.5 pl-9">
              <p className="max-w-[68ch] font-mono text-second text-quiet wrap-anywhere">
                {cause.code && (
                  <>
                    <span className="sr-only">{t('docs.code')}: </span>
                    <span className="text-ink-2">{cause.code}</span>{' '}
                  </>
                )}
                <span className="sr-only">{t('docs.message')}: </span>
                {cause.message}
              </p>
              <p className="max-w-[68ch] text-ink-2">
                <span className="sr-only">{t('docs.remedy')}: </span>
                {cause.remedy}
              </p>
              {cause.operations && cause.operations.length < 13 && <OperationLinks ids={cause.operations} />}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

function OperationLinks({ ids }: { ids: readonly string[] }) {
  return (
    <p className="flex flex-wrap gap-x-2.5 text-second">
      {ids.map((id) => (
        <a key={id} href={paths.docs(id)} className="text-accent wrap-anywhere hover:underline">
          {id}
        </a>
      ))}
    </p>
  )
}
