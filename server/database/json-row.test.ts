import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { type BatchFunction, encodeRows, type RowColumns, type RowOf, recordOf } from './json-row.ts'

const SERVER_URL = new URL('../', import.meta.url)

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const PAYMENT = {
  item_index: 'integer',
  payment_id: 'uuid',
  amount_minor: 'bigint',
  fee_minor: 'bigint | null',
  note: 'text | null',
  due_at: 'timestamptz',
  is_urgent: 'boolean',
  phone_numbers: 'text[]',
  rule: 'jsonb | null',
} as const satisfies RowColumns

const ROW: RowOf<typeof PAYMENT, { rule: { steps: number[] } | null }> = {
  item_index: 0,
  payment_id: '00000000-0000-4000-8000-000000000001',
  amount_minor: 9_007_199_254_740_993n,
  fee_minor: 0n,
  note: '"quoted" \\ and Élise',
  due_at: new Date('2026-07-30T10:20:30.456Z'),
  is_urgent: true,
  phone_numbers: ['237690000001', '237690000002'],
  rule: { steps: [1, 2] },
}

test('every column of an encoded row arrives in SQL with the value it had, also amounts above 2^53', async () => {
  const { rows } = await database.pool.query(`select * from json_to_recordset($1) as item (${recordOf(PAYMENT)})`, [
    encodeRows(PAYMENT, [ROW]),
  ])
  assert.deepEqual(rows, [ROW])
})

test('a null arrives in SQL as null', async () => {
  const empty = { ...ROW, item_index: 1, fee_minor: null, note: null, rule: null }
  const { rows } = await database.pool.query(`select * from json_to_recordset($1) as item (${recordOf(PAYMENT)})`, [
    encodeRows(PAYMENT, [ROW, empty]),
  ])
  assert.deepEqual(rows, [ROW, empty])
})

type Declared = { record: string[]; result: string }

/** Returns what a function of the database declares: each record it reads from p_items, and the table it returns. */
async function readDeclared(name: string): Promise<Declared | undefined> {
  const { rows } = await database.pool.query<{ source: string; result: string }>(
    `select prosrc as source, pg_get_function_result(oid) as result from pg_proc where proname = $1 and pronamespace = 'public'::regnamespace`,
    [name],
  )
  const [found] = rows
  if (!found) return undefined
  const records = [...found.source.matchAll(/jsonb?_to_recordset\(p_items\) as \w+ \(([^)]*)\)/g)]
  return {
    record: records.flatMap(([, columns = '']) => columns.split(',').map((column) => column.trim().replace(/\s+/g, ' '))),
    result: found.result.replaceAll('timestamp with time zone', 'timestamptz'),
  }
}

/** Sentences about what differs between a definition and its function; none if they agree. */
async function findDifferences({ name, item, result }: BatchFunction): Promise<string[]> {
  const declared = await readDeclared(name)
  if (!declared) return [`${name} is not in the database`]
  const defined = recordOf(item).split(', ')
  const [read, sent] = [new Set(declared.record), new Set(defined)]
  const wantedResult = result === 'void' ? result : `TABLE(${recordOf(result)})`
  return [
    ...defined.filter((column) => !read.has(column)).map((column) => `${name} does not read ${column}`),
    ...[...read].filter((column) => !sent.has(column)).map((column) => `${name} reads ${column}, which is not sent`),
    ...(declared.result === wantedResult ? [] : [`${name} returns ${declared.result} instead of ${wantedResult}`]),
  ]
}

function isBatchFunction(value: unknown): value is BatchFunction {
  return typeof value === 'object' && value !== null && 'name' in value && 'item' in value && 'result' in value
}

for await (const file of glob('*/sql-functions.ts', { cwd: SERVER_URL })) {
  const exports: object = await import(new URL(file, SERVER_URL).href)
  const defined = Object.values(exports).filter(isBatchFunction)
  const folder = file.split('/')[0]

  for (const definition of defined) {
    test(`${definition.name} declares the rows that ${folder}/sql-functions.ts defines`, async () => {
      assert.deepEqual(await findDifferences(definition), [])
    })
  }

  test(`${folder}/sql-functions.ts defines every function in ${folder}/sql that reads rows`, async () => {
    const reading: string[] = []
    for await (const sqlFile of glob(`${folder}/sql/*.sql`, { cwd: SERVER_URL })) {
      const sql = await readFile(new URL(sqlFile, SERVER_URL), 'utf8')
      if (sql.includes('_to_recordset(')) reading.push(/create or replace function (\w+)/.exec(sql)?.[1] ?? sqlFile)
    }
    assert.deepEqual(defined.map((definition) => definition.name).toSorted(), reading.toSorted())
  })
}

test('a column that is missing, superfluous or of another type is named, and so is another result', async () => {
  await database.pool.query(`create function pay_batch(p_items json) returns table (item_index integer, paid_at timestamptz) language sql as $$
    select item.item_index, now() from json_to_recordset(p_items) as item (item_index integer, amount_minor numeric, note text) $$`)
  const item = { item_index: 'integer', amount_minor: 'bigint', due_at: 'timestamptz | null' } as const
  assert.deepEqual(await findDifferences({ name: 'pay_batch', item, result: { item_index: 'integer', paid_at: 'timestamptz' } }), [
    'pay_batch does not read amount_minor bigint',
    'pay_batch does not read due_at timestamptz',
    'pay_batch reads amount_minor numeric, which is not sent',
    'pay_batch reads note text, which is not sent',
  ])
  const read = { item_index: 'integer', note: 'text' } as const
  assert.deepEqual((await findDifferences({ name: 'pay_batch', item: read, result: read })).slice(1), [
    'pay_batch returns TABLE(item_index integer, paid_at timestamptz) instead of TABLE(item_index integer, note text)',
  ])
  assert.deepEqual(await findDifferences({ name: 'no_batch', item, result: item }), ['no_batch is not in the database'])
})
