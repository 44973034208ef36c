import fc from 'fast-check'

export type Answers = {
  which: number
  submit: 'accepted' | 'unknown' | 'succeeded' | 'not_sent'
  query: 'pending' | 'unknown' | 'not_found' | 'succeeded'
}
/** One event in the life of operator work. */
export type Step =
  | { do: 'claim' }
  | { do: 'pass_time'; passedMs: number }
  | { do: 'hint' }
  | { do: 'force'; outcome: 'pending' | 'not_found' }
  | ({ do: 'finish' } & Answers)
  | ({ do: 'round'; passedMs: number } & Answers)

/** Less than an operator's absence has to last, often more. */
const passedMs = fc.constantFrom(1_000, 40_000, 70_000, 70_000)

/** Any of them, each about as often as it decides something. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('claim' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pass_time' as const), passedMs }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('hint' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('force' as const),
      outcome: fc.constantFrom('pending' as const, 'not_found' as const, 'not_found' as const, 'not_found' as const),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      // A round is what mostly happens: due, claimed, answered.
      do: fc.constantFrom('finish' as const, 'round' as const, 'round' as const),
      passedMs,
      which: fc.nat(3),
      submit: fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom('unknown' as const, 'not_sent' as const) },
        { weight: 2, arbitrary: fc.constantFrom('accepted' as const, 'succeeded' as const) },
      ),
      query: fc.oneof(
        { weight: 12, arbitrary: fc.constant('not_found' as const) },
        { weight: 4, arbitrary: fc.constant('unknown' as const) },
        { weight: 1, arbitrary: fc.constantFrom('pending' as const, 'succeeded' as const) },
      ),
    }),
  },
)
