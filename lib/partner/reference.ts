// Data of the API reference pages, which server/http/reference derives from the OpenAPI document.

/** The languages of the examples, in the order of their tabs. */
export const SAMPLE_LANGUAGES = ['curl', 'typescript', 'python', 'php'] as const
export type SampleLanguage = (typeof SAMPLE_LANGUAGES)[number]
export const SAMPLE_TITLES: Record<SampleLanguage, string> = { curl: 'curl', typescript: 'TypeScript', python: 'Python', php: 'PHP' }

/** The cookie that remembers the language of the examples in this browser. It is set by the page when somebody chooses one. */
export const SAMPLE_COOKIE = 'countersign.samples'

export function isSampleLanguage(value: unknown): value is SampleLanguage {
  return SAMPLE_LANGUAGES.some((language) => language === value)
}

/** The same example in every language. */
export type Samples = Record<SampleLanguage, string>

/** The client of each language that has one: a file to download. */
export const CLIENT_FILES = {
  typescript: 'countersign.ts',
  python: 'countersign.py',
  php: 'countersign.php',
} as const satisfies Partial<Record<SampleLanguage, string>>
export type ClientLanguage = keyof typeof CLIENT_FILES
export const CLIENT_LANGUAGES: readonly ClientLanguage[] = ['typescript', 'python', 'php']

/** The address of a client. */
export function clientPath(language: ClientLanguage): string {
  return `/api/v2/clients/${CLIENT_FILES[language]}`
}

/** The program that brings webhooks to a developer's machine, packed as npm installs it. */
export const LISTEN_FILE = 'countersign-1.0.0.tgz'
export const LISTEN_PATH = `/api/v2/clients/${LISTEN_FILE}`

/** A field of a body, a parameter or a header, with its rules as short texts. */
export type ReferenceField = {
  name: string
  type: string
  isRequired: boolean
  description: string
  rules: string[]
  /** The values of a closed set. */
  values: string[]
  example?: string
}

export type ReferenceExample = { name: string; summary: string; json: string }

/** One reason for a refusal. `code`: what version 2 calls it; absent where only version 1 refuses. */
export type ReferenceCause = { id: string; status: number; code?: string | undefined; cause: string; remedy: string; message: string }

/** The values that an example takes from the answer to an earlier one. */
export const RUN_VARIABLES = ['TRANSACTION_ID', 'BATCH_ID'] as const
export type RunVariable = (typeof RUN_VARIABLES)[number]

/** A UUID of its own for each run, in a body: the name is that of the example for a shell. */
export const NEW_ID = /\$EXTERNAL_ID(?:_\d+)?\b/g

/** The part of an example that the page which runs it shows: its body, null where it has none, and what the reader fills in. */
export type RunnableExample = { operation: string; body: string | null; variables: readonly RunVariable[] }

/** An example of a payment: how programs send it, and what a page sends. */
export type PaymentExample = { samples: Samples; run: RunnableExample }

/** The request of an example, with `$NAME` in place of values of the reader. `target`: its path and query. */
export type ExampleRequest = Omit<RunnableExample, 'operation'> & { method: 'GET' | 'POST'; target: string; hasKey: boolean }

export type ReferenceOperation = {
  id: string
  tag: string
  method: string
  path: string
  summary: string
  description: string
  isOpen: boolean
  parameters: ReferenceField[]
  /** `array`: a sentence about its length, if it is an array. */
  body: { description: string; array: string | undefined; fields: ReferenceField[] } | undefined
  answer: { description: string; shape: 'object' | 'array' | 'number'; fields: ReferenceField[]; examples: ReferenceExample[] }
  causes: ReferenceCause[]
  samples: Samples
  /** Undefined where a page may not make the call: the tokens, which need a password, and decisions, which are a checker's. */
  run: ExampleRequest | undefined
}

/** Remembers the slug of the application whose values this browser has in the examples. */
export const READER_COOKIE = 'countersign.docs-application'

/** The variables of the environment that the examples read. `apiId`: of the application, if it is known. */
export function environmentText(baseUrl: string, apiId = '…'): string {
  return `export BASE_URL=${baseUrl}\nexport API_ID=${apiId} API_KEY=…\nexport API_USER=… API_PASSWORD=…\nexport WEBHOOK_SECRET=…`
}
