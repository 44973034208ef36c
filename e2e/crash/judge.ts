/** One promise of the service: how many things were looked at, and what broke it. */
export type Verdict = { promise: string; looked: number; broken: string[] }

/** Looks at each item; `check` returns what is wrong with it. `more`: what is broken besides. */
export function judge<Item>(
  promise: string,
  items: readonly Item[],
  check: (item: Item) => string | undefined,
  more: readonly string[] = [],
): Verdict {
  return { promise, looked: items.length, broken: [...items.flatMap((item) => check(item) ?? []), ...more] }
}
