import { Fragment } from 'react'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { fillSamples } from '#lib/partner/fill-samples.ts'
import type { ReferenceOperation, RunnableExample, SampleLanguage, Samples } from '#lib/partner/reference.ts'
import { readReader } from '../read-reader.ts'
import { ExampleRun } from './run/example-run.tsx'
import { SampleTabs } from './sample-tabs.tsx'

const TOKEN =
  /(?<comment>(?:^|(?<=\s))(?:#|\/\/)[^\n]*|\/\*[\s\S]*?\*\/|"""[\s\S]*?""")|(?<text>"[^"\n]*"|'[^'\n]*')|(?<word>\b(?:import|from|const|await|if|throw|new|return|export|function|def|with|as|or|not|and|any|for|in|foreach|echo|case|esac|curl|openssl)\b)/gm

/**
 * Source text with comments in grey and keywords in a heavier weight. No colours: on these pages they are states of transactions or
 * operators.
 */
function Highlight({ source, isCode }: { source: string; isCode: boolean }) {
  if (!isCode) return source
  const parts: { text: string; kind: 'comment' | 'word' | undefined }[] = []
  let at = 0
  for (const match of source.matchAll(TOKEN)) {
    parts.push({ text: source.slice(at, match.index), kind: undefined })
    const kind = match.groups?.['comment'] !== undefined ? 'comment' : match.groups?.['word'] !== undefined ? 'word' : undefined
    parts.push({ text: match[0], kind })
    at = match.index + match[0].length
  }
  parts.push({ text: source.slice(at), kind: undefined })
  return parts.map(({ text, kind }, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their order.
    if (kind === undefined) return <Fragment key={index}>{text}</Fragment>
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above.
      <span key={index} className={kind === 'comment' ? 'text-quiet' : 'font-strong'}>
        {text}
      </span>
    )
  })
}

/** Text to copy. Long lines scroll inside, by keyboard too. */
function CodeText({ label, source, isCode = true }: { label: string; source: string; isCode?: boolean }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keys.
    <section tabIndex={0} aria-label={label} className="overflow-x-auto -outline-offset-2">
      <pre className="w-max min-w-full p-3 font-mono text-second leading-5 text-ink">
        <code>
          <Highlight source={source} isCode={isCode} />
        </code>
      </pre>
    </section>
  )
}

type CodeBlockProps = { label: string; labelLang?: 'en'; source: string; isCode?: boolean }

/** One text with its title and a button that copies it. */
export function CodeBlock({ label, labelLang, source, isCode = false }: CodeBlockProps) {
  return (
    <figure className="overflow-hidden rounded-md border border-line bg-sunken">
      <figcaption className="flex min-h-9 items-center justify-between gap-2 border-b border-line py-1 pr-2 pl-3 text-second font-medium text-ink-2">
        <span lang={labelLang}>{label}</span>
        <CopyButton text={source} label={label} />
      </figcaption>
      <CodeText label={label} source={source} isCode={isCode} />
    </figure>
  )
}

type CodeSamplesProps = { title: string; samples: Samples; initial: SampleLanguage; run?: RunnableExample | undefined }

/** An example in four languages. An engineer who is signed in sees it with the values of an application, and in a sandbox can run it. */
export async function CodeSamples({ title, samples, initial, run }: CodeSamplesProps) {
  const reader = await readReader()
  const sources = reader ? fillSamples(samples, reader) : samples
  const panel = (language: SampleLanguage) => <CodeText label={`${title} (${language})`} source={sources[language]} />
  const panels = { curl: panel('curl'), typescript: panel('typescript'), python: panel('python'), php: panel('php') }
  const tabs = <SampleTabs title={title} sources={sources} panels={panels} initial={initial} />
  if (!run || !reader?.canRun) return tabs
  return (
    <div>
      {tabs}
      <ExampleRun key={reader.application.slug} title={title} example={run} application={reader.application} />
    </div>
  )
}

type OperationSamplesProps = { title?: string; operation: ReferenceOperation; initial: SampleLanguage }

/** The example of an operation. */
export function OperationSamples({ operation, initial, title = operation.summary }: OperationSamplesProps) {
  const { id, run, samples } = operation
  const example = run && { operation: id, body: run.body, variables: run.variables }
  return <CodeSamples title={title} samples={samples} initial={initial} run={example} />
}
