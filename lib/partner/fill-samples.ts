import type { SampleLanguage, Samples } from './reference.ts'

/** The values that examples have for a reader who is signed in. Neither is a secret. */
export type ReaderValues = { baseUrl: string; apiId: string }

/** How each language reads the two variables, and what replaces them. */
const FILLS: Record<SampleLanguage, (source: string, values: ReaderValues) => string> = {
  curl: (source, { baseUrl, apiId }) => source.replaceAll('$BASE_URL', baseUrl).replaceAll('$API_ID', apiId),
  typescript: (source, { baseUrl, apiId }) =>
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the example.
    source.replaceAll('${process.env.BASE_URL}', baseUrl).replaceAll("process.env.API_ID ?? ''", `'${apiId}'`),
  python: (source, { baseUrl, apiId }) =>
    source.replaceAll('os.environ["BASE_URL"] + "', `"${baseUrl}`).replaceAll('os.environ["API_ID"]', `"${apiId}"`),
  php: (source, { baseUrl, apiId }) =>
    source.replaceAll("getenv('BASE_URL') . '", `'${baseUrl}`).replaceAll("' . getenv('API_ID')", `${apiId}'`),
}

/** Returns an example with the base address of the installation and the reader's own apiId in place of the variables for them. */
export function fillSamples(samples: Samples, values: ReaderValues): Samples {
  return {
    curl: FILLS.curl(samples.curl, values),
    typescript: FILLS.typescript(samples.typescript, values),
    python: FILLS.python(samples.python, values),
    php: FILLS.php(samples.php, values),
  }
}
