import { z } from 'zod'

const version = z.coerce.number().int().min(0).max(2_147_483_647)

/** The address of a version: which one it is compared with. Wrong ones fall back to the active version. */
export const ruleVersionAddressSchema = z.object({ against: version.optional().catch(undefined) })
/** The address of the editor: the version that it begins with. */
export const ruleEditorAddressSchema = z.object({ from: version.optional().catch(undefined) })

/** Returns the version that a part of an address names; undefined if it is no number. */
export function parseVersion(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined
}
