import pg from 'pg'
import type { Queryable } from './pool.ts'

/** A statement or a part of one. A class, because a value that was parsed from JSON can never be an instance of it. */
export class Sql {
  /** The text between the parameters: one more than there are values. */
  readonly texts: readonly string[]
  readonly values: readonly unknown[]

  constructor(texts: readonly string[], values: readonly unknown[]) {
    this.texts = texts
    this.values = values
  }
}

/**
 * Composes a statement whose conditions change. A value becomes a parameter, and a part that `sql` composed is inserted
 * with its own parameters. Statements that never change are plain text in their stores.
 */
export const sql = Object.assign(compose, {
  /** Text that is part of the program, such as a list of columns. Never pass text that a person or a partner sent. */
  raw: (text: string): Sql => new Sql([text], []),
  /** A quoted text constant, for a value that the planner must see, for example to use a partial index. */
  literal: (text: string): Sql => new Sql([pg.escapeLiteral(text)], []),
  /** The parts one after the other, with the separator between them. */
  join: (parts: readonly Sql[], separator: Sql): Sql =>
    parts.reduce((joined, part, index) => (index === 0 ? part : compose`${joined}${separator}${part}`), new Sql([''], [])),
})

/** Runs a composed statement on a pool or in a transaction and returns its rows. */
export async function runQuery<Row extends pg.QueryResultRow>(queryable: Queryable, statement: Sql): Promise<Row[]> {
  const { rows } = await queryable.query<Row>(numberParameters(statement), [...statement.values])
  return rows
}

function compose(strings: TemplateStringsArray, ...inserted: readonly unknown[]): Sql {
  const texts = [strings[0] ?? '']
  const values: unknown[] = []
  for (const [index, value] of inserted.entries()) {
    const part = value instanceof Sql ? value : new Sql(['', ''], [value])
    const [first = '', ...rest] = part.texts
    texts.push(`${texts.pop()}${first}`, ...rest)
    texts.push(`${texts.pop()}${strings[index + 1]}`)
    values.push(...part.values)
  }
  return new Sql(texts, values)
}

function numberParameters({ texts }: Sql): string {
  return texts.reduce((text, next, index) => `${text}$${index}${next}`)
}

/** The lowest id that a transaction of this instant can have: version 7 begins with the milliseconds since 1970. */
export function firstIdAfter(instant: Date): string {
  const hex = Math.max(0, instant.getTime()).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`
}
