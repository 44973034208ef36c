import assert from 'node:assert/strict'
import { createHmac, timingSafeEqual } from 'node:crypto'
import parser from 'php-parser'

// PHP itself is not on every machine that runs the tests. php-parser reads the examples, and this file carries out the part of PHP that
// they use. Anything else is an error, so an example that outgrows it is noticed.

type Node = { kind: string; [field: string]: unknown }
type PhpValue = null | boolean | number | string | Map<string | number, PhpValue> | Curl
type Curl = { kind: 'curl'; url: string; options: Map<string | number, PhpValue>; status: number; answer: string }
type Scope = Map<string, PhpValue>
type Returned = { value: PhpValue }

export class PhpProgram {
  readonly #environment: Record<string, string>
  readonly #functions = new Map<string, Node>()
  #output = ''

  constructor(environment: Record<string, string>) {
    this.#environment = environment
  }

  /** Runs a file. Throws what it throws, and for a syntax error or for PHP that the examples do not use. */
  async run(source: string): Promise<string> {
    const engine = new parser.Engine({ parser: { php7: true, suppressErrors: false }, ast: { withPositions: true } })
    const program = engine.parseCode(source, 'sample.php') as unknown as { children: Node[] }
    await this.#block(program.children, new Map())
    return this.#output
  }

  /** Calls a function that the file defines. */
  async call(name: string, values: PhpValue[]): Promise<PhpValue> {
    const definition = this.#functions.get(name)
    assert.ok(definition, `the file defines ${name}`)
    const names = (definition['arguments'] as { name: { name: string } }[]).map((argument) => argument.name.name)
    const returned = await this.#block(
      (definition['body'] as { children: Node[] }).children,
      new Map(names.map((each, index) => [each, values[index] ?? null])),
    )
    return returned?.value ?? null
  }

  async #block(statements: Node[], scope: Scope): Promise<Returned | undefined> {
    for (const statement of statements) {
      const returned = await this.#statement(statement, scope)
      if (returned) return returned
    }
    return undefined
  }

  async #statement(node: Node, scope: Scope): Promise<Returned | undefined> {
    switch (node.kind) {
      case 'expressionstatement':
        await this.#value(node['expression'] as Node, scope)
        return undefined
      case 'echo':
        for (const each of node['expressions'] as Node[]) this.#output += String(await this.#value(each, scope))
        return undefined
      case 'function':
        this.#functions.set((node['name'] as { name: string }).name, node)
        return undefined
      case 'return':
        return { value: await this.#value(node['expr'] as Node, scope) }
      case 'if':
        return (await this.#value(node['test'] as Node, scope))
          ? this.#block((node['body'] as { children: Node[] }).children, scope)
          : undefined
      case 'throw': {
        const [message] = (node['what'] as Node)['arguments'] as [Node]
        throw new Error(String(await this.#value(message, scope)))
      }
      case 'foreach':
        for (const value of asMap(await this.#value(node['source'] as Node, scope)).values()) {
          scope.set((node['value'] as { name: string }).name, value)
          const returned = await this.#block((node['body'] as { children: Node[] }).children, scope)
          if (returned) return returned
        }
        return undefined
      default:
        throw new Error(`The statement ${node.kind} is not known`)
    }
  }

  async #value(node: Node, scope: Scope): Promise<PhpValue> {
    const value = (field: string) => this.#value(node[field] as Node, scope)
    switch (node.kind) {
      case 'string':
        return node['value'] as string
      case 'number':
        return Number(node['value'])
      case 'boolean':
        return node['value'] as boolean
      case 'name':
        return node['name'] as string
      case 'variable':
        return scope.get(node['name'] as string) ?? null
      case 'assign':
        scope.set((node['left'] as { name: string }).name, await value('right'))
        return null
      case 'array':
        return this.#array(node['items'] as Node[], scope)
      case 'offsetlookup':
        return asMap(await value('what')).get((await value('offset')) as string) ?? null
      case 'bin':
        return this.#operation(node, scope)
      case 'unary':
        assert.equal(node['type'], '!')
        return !(await value('what'))
      case 'cast':
        assert.equal(node['type'], 'int')
        return Number(await value('expr'))
      case 'retif':
        return (await value('test')) || (await value('falseExpr'))
      case 'call': {
        const values: PhpValue[] = []
        for (const argument of node['arguments'] as Node[]) values.push(await this.#value(argument, scope))
        return this.#builtIn((node['what'] as { name: string }).name, values)
      }
      default:
        throw new Error(`The expression ${node.kind} is not known`)
    }
  }

  async #array(items: Node[], scope: Scope): Promise<PhpValue> {
    const map = new Map<string | number, PhpValue>()
    for (const item of items) {
      const key = item['key'] ? ((await this.#value(item['key'] as Node, scope)) as string) : map.size
      map.set(key, await this.#value(item['value'] as Node, scope))
    }
    return map
  }

  async #operation(node: Node, scope: Scope): Promise<PhpValue> {
    const left = await this.#value(node['left'] as Node, scope)
    const right = () => this.#value(node['right'] as Node, scope)
    switch (node['type']) {
      case '.':
        return String(left) + String(await right())
      case '!==':
        return left !== (await right())
      case '-':
        return Number(left) - Number(await right())
      case '>':
        return Number(left) > Number(await right())
      case '||':
        return Boolean(left) || Boolean(await right())
      case '??':
        return left ?? (await right())
      default:
        throw new Error(`The operator ${String(node['type'])} is not known`)
    }
  }

  /** The functions that the examples call, as the manual of PHP describes them. Binary text is latin1. */
  async #builtIn(name: string, values: PhpValue[]): Promise<PhpValue> {
    const text = (index: number) => String(values[index])
    switch (name) {
      case 'getenv':
        return this.#environment[text(0)] ?? false
      case 'http_build_query':
        return new URLSearchParams([...asMap(values[0] ?? null)].map(([key, each]) => [String(key), String(each)])).toString()
      case 'json_encode':
        return JSON.stringify(toJson(values[0] ?? null))
      case 'curl_init':
        return { kind: 'curl', url: text(0), options: new Map(), status: 0, answer: '' }
      case 'curl_setopt_array':
        for (const [option, value] of asMap(values[1] ?? null)) asCurl(values[0]).options.set(option, value)
        return true
      case 'curl_exec':
        return execute(asCurl(values[0]))
      case 'curl_getinfo':
        assert.equal(values[1], 'CURLINFO_RESPONSE_CODE')
        return asCurl(values[0]).status
      case 'ctype_digit':
        return /^\d+$/.test(text(0))
      case 'time':
        return Math.floor(Date.now() / 1000)
      case 'abs':
        return Math.abs(Number(values[0]))
      case 'strlen':
        return text(0).length
      case 'substr':
        return text(0).slice(Number(values[1]))
      case 'explode':
        return new Map(
          text(1)
            .split(text(0))
            .map((each, index) => [index, each]),
        )
      case 'base64_decode':
        return Buffer.from(text(0), 'base64').toString('latin1')
      case 'base64_encode':
        return Buffer.from(text(0), 'latin1').toString('base64')
      case 'hash_hmac':
        assert.deepEqual([values[0], values[3]], ['sha256', true])
        return createHmac('sha256', Buffer.from(text(2), 'latin1'))
          .update(text(1))
          .digest('latin1')
      case 'hash_equals': {
        const [known, given] = [Buffer.from(text(0)), Buffer.from(text(1))]
        return known.length === given.length && timingSafeEqual(known, given)
      }
      default:
        throw new Error(`The function ${name} is not known`)
    }
  }
}

async function execute(curl: Curl): Promise<PhpValue> {
  const headers = [...asMap(curl.options.get('CURLOPT_HTTPHEADER') ?? new Map()).values()].map((line): [string, string] => {
    const [name = '', ...rest] = String(line).split(': ')
    return [name, rest.join(': ')]
  })
  assert.equal(curl.options.get('CURLOPT_RETURNTRANSFER'), true, 'curl_exec returns the answer')
  const body = curl.options.get('CURLOPT_POSTFIELDS')
  const method = String(curl.options.get('CURLOPT_CUSTOMREQUEST'))
  const response = await fetch(curl.url, { method, headers, ...(body === undefined ? {} : { body: String(body) }) })
  curl.status = response.status
  return response.text()
}

function asMap(value: PhpValue): Map<string | number, PhpValue> {
  assert.ok(value instanceof Map, 'an array')
  return value
}

function asCurl(value: PhpValue | undefined): Curl {
  assert.ok(typeof value === 'object' && value !== null && !(value instanceof Map), 'a curl handle')
  return value
}

/** An array whose keys count from 0 is a list. */
function toJson(value: PhpValue): unknown {
  if (!(value instanceof Map)) return value
  const isList = [...value.keys()].every((key, index) => key === index)
  return isList ? [...value.values()].map(toJson) : Object.fromEntries([...value].map(([key, each]) => [key, toJson(each)]))
}
