import type { ReferenceCause, ReferenceExample, ReferenceField, ReferenceOperation } from '#lib/reference.ts'
import type { Json } from '#server/http/openapi/operation.ts'
import { describeArray, describeField, describeFields } from './describe-fields.ts'
import { type DocumentView, type ExampleView, type OperationView, readDocument, resolve } from './openapi-view.ts'
import { writeSamples } from './samples/write-samples.ts'

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
  reference ??= build(readDocument())
  return reference
}

function build(document: DocumentView): Reference {
  const operations = new Map<string, ReferenceOperation>()
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const method of ['get', 'post'] as const) {
      const operation = methods[method]
      if (operation) operations.set(operation.operationId, describeOperation(document, path, method === 'get' ? 'GET' : 'POST', operation))
    }
  }
  const tags = document.tags.filter(({ name }) => [...operations.values()].some(({ tag }) => tag === name))
  return { version: document.info.version, tags, operations, webhook: describeWebhook(document) }
}

function describeOperation(document: DocumentView, path: string, method: 'GET' | 'POST', operation: OperationView): ReferenceOperation {
  const { operationId: id, summary, description, parameters = [], requestBody, security } = operation
  const media = requestBody?.content['application/json']
  const isOpen = security?.length === 0
  const query = parameters.map(({ name, example }): [string, string | number] => [name, example])
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
    samples: writeSamples({ method, path, isOpen, query, body: media?.example }),
  }
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
      const { message } = value as { message: string }
      return { id, status: Number(status), cause: summary, remedy: description, message }
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
