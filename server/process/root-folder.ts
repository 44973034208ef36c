import { fileURLToPath } from 'node:url'

/** The checkout or installation that this process runs from. */
export const ROOT_FOLDER = fileURLToPath(new URL('../../', import.meta.url))
