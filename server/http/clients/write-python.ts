import type { ClientApi, ClientOperation, Field, NamedType, ValueType } from './describe-api.ts'

/** The parts of countersign.py that are made from the document. */
export function writePython({ types, operations }: ClientApi): { types: string; operations: string } {
  return {
    types: types.map(writeType).join('\n\n'),
    operations: operations.map(writeOperation).join('\n\n'),
  }
}

/** Names that Python keeps for itself. A field with one cannot be in the body of a class. */
const KEYWORDS = new Set(['class', 'from', 'import', 'in', 'is', 'not', 'pass', 'return', 'global', 'lambda'])

function writeType(type: NamedType): string {
  if ('values' in type) return `# ${type.description}.\n${type.name} = ${writeValues(type.values)}\n`
  const { name, description, fields } = type
  if (fields.some((field) => KEYWORDS.has(field.name))) {
    const entries = fields.map((field) => `        # ${field.description}\n        "${field.name}": ${write(field.type)},`)
    return `# ${description}.\n${name} = TypedDict(\n    "${name}",\n    {\n${entries.join('\n')}\n    },\n)\n`
  }
  const optional = fields.filter(({ isRequired }) => !isRequired)
  if (optional.length === 0) return writeClass(name, 'TypedDict', description, fields)
  // Before Python 3.11, fields that may be left out need a class of their own.
  const required = writeClass(
    `_${name}`,
    'TypedDict',
    `The required fields of ${name}`,
    fields.filter(({ isRequired }) => isRequired),
  )
  return `${required}\n\n${writeClass(name, `_${name}, total=False`, description, optional)}`
}

function writeClass(name: string, bases: string, description: string, fields: readonly Field[]): string {
  const lines = fields.map((field) => `    # ${field.description}\n    ${field.name}: ${write(field.type)}`)
  return `\nclass ${name}(${bases}):\n    """${description}."""\n\n${lines.join('\n')}\n`
}

function write(type: ValueType): string {
  switch (type.kind) {
    case 'string':
      return 'str'
    case 'integer':
      return 'int'
    case 'number':
      return 'float'
    case 'boolean':
      return 'bool'
    case 'values':
      return writeValues(type.values)
    case 'named':
      return type.name
    case 'array':
      return `List[${write(type.of)}]`
    case 'nullable':
      return `Optional[${write(type.of)}]`
  }
}

function writeValues(values: readonly string[]): string {
  return `Literal[${values.map((value) => `"${value}"`).join(', ')}]`
}

function writeOperation({ id, method, path, summary, segments, query, body, hasKey, isRepeatable, answer }: ClientOperation): string {
  const required = query.filter(({ isRequired }) => isRequired)
  const optional = query.filter(({ isRequired }) => !isRequired)
  const parameters = [
    'self',
    ...segments.map(({ name }) => `${toSnake(name)}: str`),
    ...(body === undefined ? [] : [`body: ${body}`]),
    ...(query.length > 0 && segments.length === 0 ? ['*'] : []),
    ...required.map(({ name, type }) => `${parameterOf(name)}: ${write(type)}`),
    ...optional.map(({ name, type }) => `${parameterOf(name)}: Optional[${write(type)}] = None`),
    ...(hasKey ? ['idempotency_key: Optional[str] = None'] : []),
  ]
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `{quote(${toSnake(name)}, safe="")}`)
  const values = [
    `"${method}"`,
    address === path ? `"${path}"` : `f'${address}'`,
    ...(query.length === 0 ? [] : [`query={${query.map(({ name }) => `"${name}": ${parameterOf(name)}`).join(', ')}}`]),
    ...(body === undefined ? [] : ['body=body']),
    ...(hasKey ? ['key=idempotency_key or str(uuid.uuid4())'] : []),
    ...(isRepeatable ? ['is_repeatable=True'] : []),
  ]
  return [
    `    def ${toSnake(id)}(${parameters.join(', ')}) -> ${write(answer)}:`,
    `        """${summary}."""`,
    `        return cast(${write(answer)}, self._call(${values.join(', ')}))`,
  ].join('\n')
}

/** A parameter whose name is a keyword has an underscore behind it. */
function parameterOf(name: string): string {
  const snake = toSnake(name)
  return KEYWORDS.has(snake) ? `${snake}_` : snake
}

function toSnake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
