import { createRandom, type Random } from '#lib/seeded-random.ts'
import type { CaseMaker, Family } from './case.ts'
import { FAMILIES } from './families.ts'

type Plan = { seed: number; families: readonly Family[]; isShort: boolean }

/** One request of a plan: what makes it, and the random numbers that it is made of. */
export type PlannedCase = { number: number; family: string; maker: CaseMaker; random: Random }

/** A prime, so that neighbouring numbers get unrelated random numbers and no two seeds share their requests. */
const STRIDE = 1_000_003

/**
 * Returns the request of each number, without the ones before it. First comes every kind of case once, in an order drawn from the
 * seed; then they are drawn by the weights of their families. The same seed, families and length make the same requests.
 */
export function createPlan({ seed, families, isShort }: Plan): (number: number) => PlannedCase {
  const usable = families
    .map((family) => ({ ...family, makers: family.makers.filter((maker) => !(isShort && maker.isLong)) }))
    .filter((family) => family.makers.length > 0)
  const once = shuffle(
    createRandom(seed),
    usable.flatMap((family) => [...new Set(family.makers)].map((maker) => ({ family: family.name, maker }))),
  )
  const weights = Object.fromEntries(usable.map((family) => [family.name, family.weight]))
  return (number) => {
    const random = createRandom(seed * STRIDE + number)
    // The first numbers of neighbouring states are alike.
    for (let skipped = 0; skipped < 4; skipped++) random.next()
    const first = once[number - 1]
    if (first) return { number, ...first, random }
    const name = random.weighted(weights)
    const family = usable.find((one) => one.name === name)
    if (!family) throw new Error(`There is no family ${name}`)
    return { number, family: family.name, maker: random.pick(family.makers), random }
  }
}

/** How many kinds of case there are: the numbers up to it hold each once. */
export function countKinds(families: readonly Family[] = FAMILIES): number {
  return families.reduce((sum, family) => sum + new Set(family.makers).size, 0)
}

function shuffle<Item>(random: Random, items: readonly Item[]): Item[] {
  const left = [...items]
  const shuffled: Item[] = []
  while (left.length > 0) shuffled.push(...left.splice(random.between(0, left.length - 1), 1))
  return shuffled
}
