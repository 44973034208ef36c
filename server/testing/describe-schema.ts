import { readFile } from 'node:fs/promises'
import { functionFiles } from '#server/database/migrate.ts'
import type { Queryable } from '#server/database/pool.ts'

const HEAD = `-- What the database looks like after all migrations and functions, for reading. \`npm run schema\` writes this file, and a test fails
-- if it is out of date. Functions are listed by signature, because the text of each is in a file of its own. It is one file, however long, so
-- that one search finds every table that has a column, and one diff shows what a migration changed.
`

const WIDTH = 140

/** One row per relation of the schema, with everything that belongs to it, in an order that does not depend on the installation. */
const RELATIONS_SQL = `
  select c.relname as name, c.relkind::text as kind, c.relpersistence = 'u' as "isUnlogged", coalesce(c.reloptions, '{}') as options,
    case when c.relkind = 'v' then pg_get_viewdef(c.oid, true) end as view,
    array(select json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'isRequired', a.attnotnull,
            'default', pg_get_expr(d.adbin, d.adrelid), 'isGenerated', a.attgenerated <> '', 'identity', a.attidentity)
          from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum) as columns,
    array(select format('constraint %I %s', k.conname, pg_get_constraintdef(k.oid, true)) from pg_constraint k
          where k.conrelid = c.oid and k.contype in ('p', 'u', 'f', 'c', 'x')
          order by array_position('{p,u,f,c,x}', k.contype::text), k.conname) as constraints,
    array(select pg_get_indexdef(i.indexrelid, 0, true) from pg_index i join pg_class n on n.oid = i.indexrelid
          where i.indrelid = c.oid and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid and k.conrelid = c.oid)
          order by n.relname) as indexes,
    array(select pg_get_triggerdef(t.oid, true)
            || case t.tgenabled when 'A' then format(E';\\nalter table %I enable always trigger %I', c.relname, t.tgname)
                                when 'D' then format(E';\\nalter table %I disable trigger %I', c.relname, t.tgname) else '' end
          from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal order by t.tgname) as triggers
  from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S')
    and not exists (select 1 from pg_depend d where d.objid = c.oid and d.classid = 'pg_class'::regclass and d.deptype in ('a', 'i', 'e'))
  order by array_position('{r,p,v,m,S}', c.relkind::text), c.relname`

const FUNCTIONS_SQL = `
  select p.proname as name, pg_get_function_identity_arguments(p.oid) as arguments, pg_get_function_result(p.oid) as result, l.lanname as language,
    case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end as volatility
  from pg_proc p join pg_language l on l.oid = p.prolang
  where p.pronamespace = current_schema()::regnamespace
    and not exists (select 1 from pg_depend d where d.objid = p.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e')
  order by p.proname, 2`

type Column = { name: string; type: string; isRequired: boolean; default: string | null; isGenerated: boolean; identity: '' | 'a' | 'd' }
type Relation = {
  name: string
  kind: 'r' | 'p' | 'v' | 'm' | 'S'
  isUnlogged: boolean
  options: string[]
  view: string | null
  columns: Column[]
  constraints: string[]
  indexes: string[]
  triggers: string[]
}
type SqlFunction = { name: string; arguments: string; result: string; language: string; volatility: string }

/** Returns server/database/schema.sql for the schema that comes first in the search path of this database. */
export async function describeSchema(queryable: Queryable): Promise<string> {
  const { rows: relations } = await queryable.query<Relation>(RELATIONS_SQL)
  const { rows: functions } = await queryable.query<SqlFunction>(FUNCTIONS_SQL)
  const files = await filesByFunction()
  return [HEAD, ...relations.map(describeRelation), ...functions.map((one) => describeFunction(one, files)), ''].join('\n')
}

function describeRelation(relation: Relation): string {
  const { name, kind, view } = relation
  if (kind === 'S') return `create sequence ${name};\n`
  if (view !== null) return `create view ${name} as\n${plain(view)}\n`
  const nameWidth = Math.max(...relation.columns.map((column) => column.name.length))
  const typeWidth = Math.max(...relation.columns.map((column) => plain(column.type).length))
  const lines = [
    ...relation.columns.map((column) => describeColumn(column, nameWidth, typeWidth)),
    ...relation.constraints.map((text) => plain(text)),
  ]
  const options = relation.options.length > 0 ? ` with (${relation.options.join(', ').replaceAll('=', ' = ')})` : ''
  const after = [...relation.indexes, ...relation.triggers].map((text) => `${folded(plain(text))};\n`)
  return `create ${relation.isUnlogged ? 'unlogged ' : ''}table ${name} (\n  ${lines.join(',\n  ')}\n)${options};\n${after.join('')}`
}

function describeColumn(column: Column, nameWidth: number, typeWidth: number): string {
  const words = [column.name.padEnd(nameWidth), plain(column.type).padEnd(typeWidth)]
  if (column.isRequired) words.push('not null')
  if (column.identity !== '') words.push(`generated ${column.identity === 'a' ? 'always' : 'by default'} as identity`)
  if (column.default !== null)
    words.push(plain(column.isGenerated ? `generated always as (${column.default})` : `default ${column.default}`))
  return words.join(' ').trimEnd()
}

function describeFunction(one: SqlFunction, files: ReadonlyMap<string, string>): string {
  const file = files.get(one.name) ?? 'only in migrations/'
  return `-- function ${one.name}(${plain(one.arguments)})\n--   returns ${plain(one.result)}\n--   ${one.language}, ${one.volatility}: ${file}`
}

/** The repeatable file of each function, by the function's name. */
async function filesByFunction(): Promise<Map<string, string>> {
  const entries = await Promise.all(
    (await functionFiles()).map(async (file) => {
      const text = await readFile(new URL(`../${file}`, import.meta.url), 'utf8')
      const [, name] = /create or replace function (\w+)/.exec(text) ?? []
      if (name === undefined) throw new Error(`${file} creates no function`)
      return [name, `server/${file}`] as const
    }),
  )
  return new Map(entries)
}

/** The style of the repository: keywords in lower case, short names of types. Names without quotes are in lower case already. */
function plain(text: string): string {
  return text
    .replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|[^'"]+/g, (part) => (/^['"]/.test(part) ? part : part.toLowerCase()))
    .replaceAll('timestamp with time zone', 'timestamptz')
    .replace(/(?<=')::text\b(?!\[)/g, '')
    .replace(/= any \(array\[([^\]]*)\]\)/g, 'in ($1)')
    .replace(' using btree', '')
}

/** A long statement on two lines. */
function folded(text: string): string {
  return text.length < WIDTH ? text : text.replace(/ (?=referencing |where )/, '\n  ')
}
