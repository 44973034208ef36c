import type { ClientApi, ClientOperation, NamedType, ValueType } from './describe-api.ts'

/** The parts of countersign.php that are made from the document. */
export function writePhp({ types, operations }: ClientApi): { types: string; operations: string } {
  return {
    types: types.map(writeType).join('\n'),
    operations: operations.map(writeOperation).join('\n\n'),
  }
}

/** An array shape, in the notation that PHPStan, Psalm and editors read. */
function writeType(type: NamedType): string {
  if ('values' in type) return ` * @phpstan-type ${type.name} ${writeValues(type.values)}`
  const fields = type.fields.map(({ name, type: value, isRequired }) => `${name}${isRequired ? '' : '?'}: ${write(value)}`)
  return ` * @phpstan-type ${type.name} array{${fields.join(', ')}}`
}

function write(type: ValueType): string {
  switch (type.kind) {
    case 'integer':
      return 'int'
    case 'number':
      return 'int|float'
    case 'boolean':
      return 'bool'
    case 'values':
      return writeValues(type.values)
    case 'named':
      return type.name
    case 'array':
      return `list<${write(type.of)}>`
    case 'nullable':
      return `${write(type.of)}|null`
    default:
      return type.kind
  }
}

function writeValues(values: readonly string[]): string {
  return values.map((value) => `'${value}'`).join('|')
}

function writeOperation({ id, method, path, summary, segments, query, body, hasKey, isRepeatable, answer }: ClientOperation): string {
  const optional = query.filter(({ isRequired }) => !isRequired)
  const sorted = [...query.filter(({ isRequired }) => isRequired), ...optional]
  const parameters = [
    ...segments.map(({ name }) => `string $${name}`),
    ...(body === undefined ? [] : ['array $body']),
    ...sorted.map(({ name, type, isRequired }) => `${isRequired ? '' : '?'}${hint(type)} $${name}${isRequired ? '' : ' = null'}`),
    ...(hasKey ? ['?string $idempotencyKey = null'] : []),
  ]
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `' . rawurlencode($${name}) . '`)
  const values = [
    `'${method}'`,
    `'${address}'`,
    String(isRepeatable),
    ...(query.length === 0 ? [] : [`query: [${query.map(({ name }) => `'${name}' => $${name}`).join(', ')}]`]),
    ...(body === undefined ? [] : ['body: $body']),
    ...(hasKey ? ['idempotencyKey: $idempotencyKey ?? self::newKey()'] : []),
  ]
  return [
    '    /**',
    `     * ${summary}.`,
    '     *',
    ...(body === undefined ? [] : [`     * @param ${body} $body`]),
    ...query.flatMap(({ name, type, isRequired }) =>
      type.kind === 'values' ? [`     * @param ${write(type)}${isRequired ? '' : '|null'} $${name}`] : [],
    ),
    `     * @return ${write(answer)}`,
    '     */',
    `    public function ${id}(${parameters.join(', ')}): array`,
    '    {',
    `        return $this->call(${values.join(', ').replaceAll(" . ''", '')});`,
    '    }',
  ].join('\n')
}

/** The type of a parameter that PHP itself checks. */
function hint(type: ValueType): 'int' | 'string' {
  return type.kind === 'integer' ? 'int' : 'string'
}
