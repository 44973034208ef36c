import type { SampleLanguage, Samples } from '#lib/reference.ts'
import { CodeText } from './code-block.tsx'
import { SampleTabs } from './sample-tabs.tsx'

/** An example in four languages. */
export function CodeSamples({ title, samples, initial }: { title: string; samples: Samples; initial: SampleLanguage }) {
  const panel = (language: SampleLanguage) => <CodeText label={`${title} (${language})`} source={samples[language]} />
  const panels = { curl: panel('curl'), typescript: panel('typescript'), python: panel('python'), php: panel('php') }
  return <SampleTabs title={title} sources={samples} panels={panels} initial={initial} />
}
