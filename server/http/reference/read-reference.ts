import type { ReferenceCause, ReferenceExample, ReferenceField, ReferenceOperation } from '#lib/partner/reference.ts'
import { buildOpenApiDocument } from '../openapi/openapi.ts'
import type { Json } from '../openapi/operation.ts'
import { writeRequest, writeSamples } from './samples/samples.ts'

type ReferenceWebhook = {
  summary: string
  description: string
  headers: ReferenceField[]
  fields: ReferenceField[]
  examples: ReferenceExample[]
}

type Reference = {
  version: string
  tags: readonly { name: string; description: string }[]
  /** In the order of the document. */
  operations: ReadonlyMap<string, ReferenceOperation>
  webhook: ReferenceWebhook
}

let reference: Reference | undefined

/** The API reference, read from the OpenAPI document. The same for the life of the process. */
export function readReference(): Reference {
  if (reference) return reference
  const [first, second] = [readDocument('v1'), readDocument('v2')]
  const { version, ...own } = build(first)
  const added = build(second)
  // Version 2 adds operations and subjects; everything else is that of version 1.
  const operations = new Map([...own.operations, ...added.operations])
  reference = { version, tags: [...own.tags, ...added.tags], operations, webhook: describeWebhook(first) }
  return reference
}

function build(document: DocumentView): Omit<Reference, 'webhook'> {
  const operations = new Map<string, ReferenceOperation>()
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const method of ['get', 'post'] as const) {
      const operation = methods[method]
      if (operation) operations.set(operation.operationId, describeOperation(document, path, method === 'get' ? 'GET' : 'POST', operation))
    }
  }
  const tags = document.tags.filter(({ name }) => [...operations.values()].some(({ tag }) => tag === name))
  return { version: document.info.version, tags, operations }
}

function describeOperation(document: DocumentView, path: string, method: 'GET' | 'POST', operation: OperationView): ReferenceOperation {
  const { operationId: id, summary, description, parameters = [], requestBody, security } = operation
  const media = requestBody?.content['application/json']
  const isOpen = security?.length === 0
  const query = parameters.flatMap(({ name, in: place, example }): [string, string | number][] =>
    place === 'query' && example !== undefined ? [[name, example]] : [],
  )
  const examplePath = parameters.reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path)
  const call = { method, path: examplePath, isOpen, query, idempotencyKey: keyOf(parameters), body: media?.example }
  return {
    id,
    tag: operation.tags[0],
    method,
    path,
    summary,
    description,
    isOpen,
    parameters: parameters.map(({ name, schema, required, description: text, example }) =>
      describeField(name, { ...schema, description: text }, required, example),
    ),
    body: requestBody &&
      media && {
        description: requestBody.description,
        array: describeArray(resolve(document, media.schema)),
        fields: describeFields(document, media.schema),
      },
    answer: describeAnswer(document, operation),
    causes: causesOf(operation),
    samples: writeSamples(call),
    run: isOpen || DECISIONS.has(id) ? undefined : writeRequest(call),
  }
}

/** A person who ran one of these would decide in the name of a checker. */
const DECISIONS: ReadonlySet<string> = new Set(['validateTransaction', 'rejectTransaction'])

/** The example of the header that names a payment. */
function keyOf(parameters: readonly ParameterView[]): string | undefined {
  const header = parameters.find(({ name, in: place }) => place === 'header' && name === 'Idempotency-Key')
  return header?.example === undefined ? undefined : String(header.example)
}

function describeAnswer(document: DocumentView, { operationId, responses }: OperationView): ReferenceOperation['answer'] {
  const answer = responses['200']
  const media = answer?.content?.['application/json']
  if (!answer || !media) throw new Error(`${operationId} has no answer`)
  const { type } = resolve(document, media.schema)
  const shape = type === 'number' || type === 'array' ? type : 'object'
  return { description: answer.description, shape, fields: describeFields(document, media.schema), examples: examplesOf(media.examples) }
}

function causesOf({ responses }: OperationView): ReferenceCause[] {
  return Object.entries(responses).flatMap(([status, response]) => {
    const examples = status === '200' ? {} : (response.content?.['application/json'].examples ?? {})
    return Object.entries(examples).map(([id, { summary, description = '', value }]) => {
      const { code, message } = value as { code?: string; message: string }
      return { id, status: Number(status), code, cause: summary, remedy: description, message }
    })
  })
}

function describeWebhook(document: DocumentView): ReferenceWebhook {
  const { summary, description, parameters = [], requestBody } = document.webhooks.transactionResult.post
  const media = requestBody?.content['application/json']
  if (!media) throw new Error('The webhook has no body')
  return {
    summary,
    description,
    headers: parameters.map(({ name, schema, required, description: text, example }) =>
      describeField(name, { ...schema, description: text }, required, example),
    ),
    fields: describeFields(document, media.schema),
    examples: examplesOf(media.examples),
  }
}

function examplesOf(examples: Record<string, ExampleView> = {}): ReferenceExample[] {
  return Object.entries(examples).map(([name, { summary, value }]) => ({ name, summary, json: writeJson(value) }))
}

/** JSON as people read it: short arrays of balances on one line each. */
function writeJson(value: Json): string {
  if (!Array.isArray(value) || value.length < 4) return JSON.stringify(value, null, 2)
  return `[\n${value.map((each) => `  ${JSON.stringify(each)}`).join(',\n')}\n]`
}

/** The fields of an object, or of the elements of an array. Objects inside are listed by their path: `content[].id`. */
function describeFields(document: DocumentView, schema: SchemaView, prefix = ''): ReferenceField[] {
  const object = resolve(document, schema)
  if (object.oneOf?.[0]) return describeFields(document, object.oneOf[0], prefix)
  if (object.type === 'array' && object.items) return describeFields(document, object.items, prefix)
  return Object.entries(object.properties ?? {}).flatMap(([name, property]) => {
    const resolved = resolve(document, property)
    const field = describeField(prefix + name, { ...resolved, ...property }, object.required?.includes(name) ?? false)
    return resolved.type === 'array' ? [field, ...describeFields(document, resolved, `${prefix}${name}[].`)] : [field]
  })
}

function describeField(name: string, schema: SchemaView, isRequired: boolean, example?: string | number): ReferenceField {
  return {
    name,
    type: typeOf(schema),
    isRequired,
    description: schema.description ?? '',
    rules: rulesOf(schema),
    values: schema.enum ?? (typeof schema.const === 'string' ? [schema.const] : []),
    ...(example === undefined ? {} : { example: String(example) }),
  }
}

const FORMATS: Record<string, string> = { uuid: 'UUID', uri: 'URL', date: 'date', 'date-time': 'date and time' }

function typeOf({ type, format }: SchemaView): string {
  return (format && FORMATS[format]) ?? type ?? 'string'
}

/** The rules that a type does not say, in words. */
function rulesOf(schema: SchemaView): string[] {
  const { minLength, maxLength, minimum, maximum, exclusiveMinimum, pattern } = schema
  const rules: string[] = []
  if (minLength !== undefined && maxLength !== undefined) rules.push(`${minLength} to ${write(maxLength)} characters`)
  else if (maxLength !== undefined) rules.push(`at most ${write(maxLength)} characters`)
  if (exclusiveMinimum !== undefined) rules.push(`greater than ${exclusiveMinimum}`)
  if (minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER) rules.push(`at least ${write(minimum)}`)
  // zod writes the largest safe integer for every integer.
  if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) rules.push(`at most ${write(maximum)}`)
  if (pattern === '^\\d{10,15}$') rules.push('10 to 15 digits')
  return rules
}

function write(value: number): string {
  return value.toLocaleString('en-GB', { maximumFractionDigits: 2 })
}

/** How many objects a body holds, if it is an array. */
function describeArray({ type, minItems, maxItems }: SchemaView): string | undefined {
  if (type !== 'array' || minItems === undefined || maxItems === undefined) return undefined
  return `An array of ${minItems} to ${write(maxItems)} objects with these fields:`
}

/** A cause with every operation where it can happen. `key`: its place in the page of all errors. */
type CauseEverywhere = ReferenceCause & { key: string; operations: string[] }

/** Every cause once, by status. Operations that say the same with other examples share an entry. */
export function allCauses(): CauseEverywhere[] {
  const found = new Map<string, CauseEverywhere>()
  for (const operation of readReference().operations.values()) {
    for (const cause of operation.causes) {
      const same = found.get(cause.status + cause.cause)
      if (same) {
        same.operations.push(operation.id)
        same.code ??= cause.code
      } else found.set(cause.status + cause.cause, { ...cause, key: `${cause.status}-${cause.id}`, operations: [operation.id] })
    }
  }
  const causes = [...found.values()].sort((left, right) => left.status - right.status)
  const seen = new Map<string, number>()
  for (const cause of causes) {
    const place = (seen.get(cause.key) ?? 0) + 1
    seen.set(cause.key, place)
    if (place > 1) cause.key = `${cause.key}-${place}`
  }
  return causes
}

/** A schema of the document, with the keywords that it uses. */
type SchemaView = {
  $ref?: string
  type?: string
  description?: string
  properties?: Record<string, SchemaView>
  required?: string[]
  items?: SchemaView
  oneOf?: SchemaView[]
  enum?: string[]
  const?: Json
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  minItems?: number
  maxItems?: number
}

type ExampleView = { summary: string; description?: string; value: Json }
type MediaView = { 'application/json': { schema: SchemaView; example?: Json; examples?: Record<string, ExampleView> } }
type ParameterView = {
  name: string
  in: 'query' | 'path' | 'header'
  description: string
  required: boolean
  schema: SchemaView
  example?: string | number
}

type OperationView = {
  operationId: string
  tags: [string]
  summary: string
  description: string
  security?: unknown[]
  parameters?: ParameterView[]
  requestBody?: { description: string; content: MediaView }
  responses: Record<string, { description: string; content?: MediaView }>
}

type DocumentView = {
  info: { version: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Partial<Record<'get' | 'post', OperationView>>>
  webhooks: { transactionResult: { post: OperationView } }
  components: { schemas: Record<string, SchemaView> }
}

/** The document as the reference reads it. A test of each page reads all of it, so a document of another shape fails there. */
function readDocument(version: 'v1' | 'v2'): DocumentView {
  return buildOpenApiDocument(version) as unknown as DocumentView
}

/** The schema that a reference names, or the schema itself. */
function resolve(document: DocumentView, schema: SchemaView): SchemaView {
  if (schema.$ref === undefined) return schema
  const named = document.components.schemas[schema.$ref.replace('#/components/schemas/', '')]
  if (!named) throw new Error(`The document has no schema ${schema.$ref}`)
  return named
}
