import type { Translate } from '#lib/i18n/translate.ts'
import type { ReferenceOperation, SampleLanguage } from '#lib/reference.ts'
import { CauseList } from './cause-list.tsx'
import { CodeBlock } from './code-block.tsx'
import { CodeSamples } from './code-samples.tsx'
import { FieldList } from './field-list.tsx'
import { Code, Description } from './prose.tsx'
import { Section } from './section.tsx'

type Props = { t: Translate; operation: ReferenceOperation; language: SampleLanguage }

/** One operation: what it does, what it takes, what it returns, why it refuses; examples beside it where there is room. */
export function OperationPage({ t, operation, language }: Props) {
  const { method, path, summary, description, isOpen, parameters, body, answer, causes, samples } = operation
  return (
    <article>
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
            <CodeSamples title={t('docs.example')} samples={samples} initial={language} />
            {answer.examples.map(({ name, summary: title, json }) => (
              <CodeBlock key={name} label={`200: ${title}`} source={json} />
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
