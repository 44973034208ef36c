import { z } from 'zod'

/** `?page=` of an address that counts from 1, as people do. Inside, pages count from 0, like those of the partner API. */
export function pageFromOne(max: number) {
  return z.coerce
    .number()
    .int()
    .min(1)
    .max(max)
    .default(1)
    .transform((page) => page - 1)
}
