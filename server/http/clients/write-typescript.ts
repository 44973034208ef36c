import type { ClientApi, ClientOperation, Field, NamedType, ValueType } from './describe-api.ts'

/** The parts of countersign.ts that are made from the document. */
export function writeTypeScript({ types, operations }: ClientApi): { types: string; operations: string } {
  return {
    types: types.map(writeType).join('\n\n'),
    operations: operations.map(writeOperation).join('\n\n'),
  }
}

function writeType(type: NamedType): string {
  const head = `/** ${type.description}. */\nexport type ${type.name} =`
  if ('values' in type) return `${head} ${writeValues(type.values)}`
  const fields = type.fields.map(
    ({ name, type: value, isRequired, description }) =>
      `  /** ${description} */\n  ${name}${isRequired ? ': ' : '?: '}${write(value)}${isRequired ? '' : ' | undefined'}`,
  )
  return `${head} {\n${fields.join('\n')}\n}`
}

function write(type: ValueType): string {
  switch (type.kind) {
    case 'integer':
      return 'number'
    case 'values':
      return writeValues(type.values)
    case 'named':
      return type.name
    case 'array':
      return type.of.kind === 'values' || type.of.kind === 'nullable' ? `(${write(type.of)})[]` : `${write(type.of)}[]`
    case 'nullable':
      return `${write(type.of)} | null`
    default:
      return type.kind
  }
}

function writeValues(values: readonly string[]): string {
  return values.map((value) => `'${value}'`).join(' | ')
}

function writeOperation({ id, method, path, summary, segments, query, body, hasKey, isRepeatable, answer }: ClientOperation): string {
  const parameters = [
    ...segments.map(({ name }) => `${name}: string`),
    ...(body === undefined ? [] : [`body: ${body}`]),
    ...(query.length === 0 ? [] : [writeQuery(query)]),
    ...(hasKey ? ['{ idempotencyKey = randomUUID() }: KeyOptions = {}'] : []),
  ]
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `\${encodeURIComponent(${name})}`)
  const call = [
    `method: '${method}'`,
    `path: ${address === path ? `'${path}'` : `\`${address}\``}`,
    ...(query.length === 0 ? [] : ['query']),
    ...(body === undefined ? [] : ['body']),
    ...(hasKey ? ['idempotencyKey'] : []),
    `isRepeatable: ${isRepeatable}`,
  ]
  return [
    `  /** ${summary}. */`,
    `  ${id}(${parameters.join(', ')}): Promise<${write(answer)}> {`,
    `    return this.#call({ ${call.join(', ')} })`,
    '  }',
  ].join('\n')
}

/** A parameter that is null is left out, so that the cursor of the last page can be passed on as it is. */
function writeQuery(query: readonly Field[]): string {
  const fields = query.map(
    ({ name, type, isRequired }) => `${name}${isRequired ? '' : '?'}: ${write(type)}${isRequired ? '' : ' | null | undefined'}`,
  )
  return `query: { ${fields.join('; ')} }${query.some(({ isRequired }) => isRequired) ? '' : ' = {}'}`
}
