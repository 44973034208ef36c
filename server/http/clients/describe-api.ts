import { buildOpenApiDocument } from '../openapi/openapi.ts'

/** The type of a value, as every language can write it. */
export type ValueType =
  | { kind: 'string' | 'integer' | 'number' | 'boolean' }
  | { kind: 'values'; values: readonly string[] }
  | { kind: 'named'; name: string }
  | { kind: 'array'; of: ValueType }
  | { kind: 'nullable'; of: ValueType }

export type Field = { name: string; type: ValueType; isRequired: boolean; description: string }

/** A type with a name: an object with fields, or a closed set of texts. */
export type NamedType = { name: string; description: string } & ({ fields: Field[] } | { values: readonly string[] })

export type ClientOperation = {
  id: string
  method: 'GET' | 'POST'
  path: string
  summary: string
  segments: Field[]
  query: Field[]
  /** The name of the type of the body. */
  body: string | undefined
  /** Whether the header Idempotency-Key names the payment. */
  hasKey: boolean
  /** Whether the service carries the request out once, however often it arrives. */
  isRepeatable: boolean
  answer: ValueType
}

/** The types and operations of a client, in any language. Types come before the types that use them. */
export type ClientApi = { types: NamedType[]; operations: ClientOperation[] }

/** A set of texts that this many types use gets a name of its own. */
const SHARED_BY_MIN = 3
/** Clients read JSON, whatever else an operation can answer with. */
const FORMAT = 'format'

/** Returns the types and operations of version 2, and the webhook, from the OpenAPI documents. Throws for a schema that clients cannot have. */
export function describeApi(): ClientApi {
  const { paths, components } = buildOpenApiDocument('v2') as unknown as DocumentView
  const { TransactionResult: webhook } = (buildOpenApiDocument('v1') as unknown as DocumentView).components.schemas
  if (!webhook) throw new Error('The document has no schema of the webhook')
  // Errors are an exception in each language.
  const { Error: _, ...schemas } = components.schemas
  const objects = Object.entries({ ...schemas, TransactionResult: webhook }).flatMap(([name, schema]) => describeObject(name, schema))
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    (['get', 'post'] as const).flatMap((method) => {
      const operation = methods[method]
      return operation ? [describeOperation(path, method === 'get' ? 'GET' : 'POST', operation, components.schemas)] : []
    }),
  )
  return nameSharedValues(withoutCopies(objects), operations)
}

function describeOperation(
  path: string,
  method: 'GET' | 'POST',
  { operationId: id, summary, parameters = [], requestBody, responses }: OperationView,
  schemas: Record<string, SchemaView>,
): ClientOperation {
  const hasKey = parameters.some(({ name }) => name === 'Idempotency-Key')
  const body = requestBody && nameOf(requestBody.content['application/json']?.schema)
  // The externalId of a body names its payment as the header does.
  const namesPayment = body !== undefined && (schemas[body]?.required ?? []).includes('externalId')
  const fieldsIn = (place: 'path' | 'query'): Field[] =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, schema, required, description }) => ({ name, type: typeOf(schema, []), isRequired: required, description }))
  const answer = responses['200']?.content?.['application/json']
  if (!answer) throw new Error(`${id} has no answer`)
  return {
    id,
    method,
    path,
    summary,
    segments: fieldsIn('path'),
    query: fieldsIn('query').filter(({ name }) => name !== FORMAT),
    body,
    hasKey,
    isRepeatable: method === 'GET' || hasKey || namesPayment,
    answer: typeOf(answer.schema, []),
  }
}

/** The type of a schema of components, after those of the objects inside it, which are named by their path. */
function describeObject(name: string, { description = '', properties = {}, required = [] }: SchemaView): NamedType[] {
  const inner: NamedType[] = []
  const fields = Object.entries(properties).map(([field, schema]): Field => {
    const type = typeOf(schema, inner, name + field.charAt(0).toUpperCase() + field.slice(1))
    return { name: field, type, isRequired: required.includes(field), description: schema.description ?? '' }
  })
  return [...inner, { name, description, fields }]
}

function typeOf(schema: SchemaView, inner: NamedType[], name = ''): ValueType {
  if (schema.$ref !== undefined) return { kind: 'named', name: nameOf(schema) }
  if (schema.enum) return { kind: 'values', values: schema.enum }
  const options = schema.anyOf ?? (Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : [])
  const [value, ...others] = options.filter(({ type }) => type !== 'null')
  if (value && others.length === 0) return { kind: 'nullable', of: typeOf(value, inner, name) }
  if (schema.type === 'array' && schema.items) return { kind: 'array', of: typeOf(schema.items, inner, `${name}Item`) }
  if (schema.type === 'object' && name !== '') {
    inner.push(...describeObject(name, schema))
    return { kind: 'named', name }
  }
  if (schema.type === 'string' || schema.type === 'integer' || schema.type === 'number' || schema.type === 'boolean')
    return { kind: schema.type }
  throw new Error(`Clients have no type for ${name}: ${JSON.stringify(schema)}`)
}

/** Objects inside two schemas that are the same field: the first one's name stands for both. */
function withoutCopies(types: NamedType[]): NamedType[] {
  const names = new Map<string, string>()
  const kept = types.filter((type) => {
    const key = JSON.stringify({ ...type, name: undefined })
    const first = names.get(key)
    if (first === undefined) names.set(key, type.name)
    else names.set(type.name, first)
    return first === undefined
  })
  const rename = (type: ValueType): ValueType => {
    if (type.kind === 'named') return { kind: 'named', name: names.get(type.name) ?? type.name }
    return 'of' in type ? { ...type, of: rename(type.of) } : type
  }
  return kept.map((type) => ('fields' in type ? mapFields(type, rename) : type))
}

/** Names the sets of texts that several types have, by their first field. */
function nameSharedValues(types: NamedType[], operations: ClientOperation[]): ClientApi {
  const sets = new Map<string, { name: string; description: string; values: readonly string[]; users: Set<string> }>()
  for (const type of types) {
    for (const { name, description, type: value } of 'fields' in type ? type.fields : []) {
      if (value.kind !== 'values') continue
      const key = value.values.join()
      const set = sets.get(key) ?? {
        name: name.charAt(0).toUpperCase() + name.slice(1),
        description,
        values: value.values,
        users: new Set(),
      }
      sets.set(key, set)
      set.users.add(type.name)
    }
  }
  const shared = new Map([...sets].filter(([, { users }]) => users.size >= SHARED_BY_MIN))
  const named = [...shared.values()].map(({ name, description, values }) => ({ name, description, values }))
  const replace = (type: ValueType): ValueType => {
    const set = type.kind === 'values' ? shared.get(type.values.join()) : undefined
    if (set) return { kind: 'named', name: set.name }
    return 'of' in type ? { ...type, of: replace(type.of) } : type
  }
  const all = [...named, ...types.map((type) => ('fields' in type ? mapFields(type, replace) : type))]
  const names = all.map(({ name }) => name)
  if (new Set(names).size < names.length) throw new Error(`Two types of the clients have the same name: ${names.join()}`)
  return { types: all, operations }
}

function mapFields<Type extends { fields: Field[] }>(type: Type, change: (value: ValueType) => ValueType): Type {
  return { ...type, fields: type.fields.map((field) => ({ ...field, type: change(field.type) })) }
}

function nameOf(schema: SchemaView | undefined): string {
  if (schema?.$ref === undefined) throw new Error('Clients name the types of bodies and answers as the document does')
  return schema.$ref.replace('#/components/schemas/', '')
}

type SchemaView = {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, SchemaView>
  required?: string[]
  items?: SchemaView
  anyOf?: SchemaView[]
  enum?: string[]
}

type MediaView = Record<string, { schema: SchemaView }>

type OperationView = {
  operationId: string
  summary: string
  parameters?: { name: string; in: 'path' | 'query' | 'header'; description: string; required: boolean; schema: SchemaView }[]
  requestBody?: { content: MediaView }
  responses: Record<string, { content?: MediaView }>
}

type DocumentView = {
  paths: Record<string, Partial<Record<'get' | 'post', OperationView>>>
  components: { schemas: Record<string, SchemaView> }
}
