import { buildOpenApiDocument } from '#server/http/openapi/openapi.ts'
import type { Json } from '#server/http/openapi/operation.ts'

/** A schema of the document, with the keywords that it uses. */
export type SchemaView = {
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

export type ExampleView = { summary: string; description?: string; value: Json }
type MediaView = { 'application/json': { schema: SchemaView; example?: Json; examples?: Record<string, ExampleView> } }
type ParameterView = { name: string; description: string; required: boolean; schema: SchemaView; example: string | number }

export type OperationView = {
  operationId: string
  tags: [string]
  summary: string
  description: string
  security?: unknown[]
  parameters?: ParameterView[]
  requestBody?: { description: string; content: MediaView }
  responses: Record<string, { description: string; content?: MediaView }>
}

export type DocumentView = {
  info: { version: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Partial<Record<'get' | 'post', OperationView>>>
  webhooks: { transactionResult: { post: OperationView } }
  components: { schemas: Record<string, SchemaView> }
}

/** The document as the reference reads it. A test of each page reads all of it, so a document of another shape fails there. */
export function readDocument(): DocumentView {
  return buildOpenApiDocument() as unknown as DocumentView
}

/** The schema that a reference names, or the schema itself. */
export function resolve(document: DocumentView, schema: SchemaView): SchemaView {
  if (schema.$ref === undefined) return schema
  const named = document.components.schemas[schema.$ref.replace('#/components/schemas/', '')]
  if (!named) throw new Error(`The document has no schema ${schema.$ref}`)
  return named
}
