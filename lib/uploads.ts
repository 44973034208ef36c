import { z } from 'zod'

/** The size of each part in which a file is uploaded, except the last: one is sent within seconds on a slow link, and sent again if it is lost. */
export const PIECE_BYTES = 1024 * 1024

/** The part of a query by which a file is recognised when its upload continues. `modified`: when it was changed last, in milliseconds. */
export const FILE_QUERY = {
  fileName: z.string().trim().min(1).max(200),
  bytes: z.coerce.number().int().min(1),
  modified: z.coerce.number().int().min(0),
}

/** The place of a piece in its file, from 0. */
export const pieceQuerySchema = z.strictObject({ number: z.coerce.number().int().min(0).max(1_000_000) })

/** The answer to the beginning of an upload: which pieces are there already. */
export const uploadAnswerSchema = z.object({ fileId: z.uuid(), pieces: z.array(z.number()) })
