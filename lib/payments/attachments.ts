import type { MessageKey } from '#lib/i18n/translate.ts'

/** A scan or a photograph of an invoice; larger ones are rarely read to the end. */
export const ATTACHMENT_BYTES_MAX = 5 * 1024 * 1024

/** The types of an attachment, each with the endings of its name. All are known by their content. */
export const ATTACHMENT_TYPES = {
  'application/pdf': ['pdf'],
  'image/png': ['png'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/webp': ['webp'],
} as const
export type AttachmentType = keyof typeof ATTACHMENT_TYPES

/** The file that a maker attached to a payment, as pages show it. `isKept`: false after its retention; its digest stays. */
export type AttachmentDto = { fileName: string; mediaType: AttachmentType; bytes: number; sha256: string; isKept: boolean }

/** Why a file is not attached. */
const ATTACHMENT_PROBLEMS = [
  'too_large',
  'unknown_type',
  'wrong_name',
  'damaged',
  'two_types',
  'too_many_pixels',
  'too_many',
  'already_sent',
] as const
export type AttachmentProblem = (typeof ATTACHMENT_PROBLEMS)[number]

/** The text about a file that was refused, by the code of the refusal. */
export function attachmentProblemKey(code: string | null): MessageKey {
  const problem = ATTACHMENT_PROBLEMS.find((each) => each === code)
  return problem ? `payment.attachment.${problem}` : 'payment.attachment.not_stored'
}

/** Whether a name ends as names of this type do; a name without a known ending fits every type. */
export function isNamedLike(fileName: string, type: AttachmentType): boolean {
  const ending = /\.([a-z0-9]+)$/i.exec(fileName)?.[1]?.toLowerCase()
  const owner = Object.entries(ATTACHMENT_TYPES).find(([, endings]) => endings.some((each) => each === ending))
  return owner === undefined || owner[0] === type
}

/** The name under which an attachment is saved: with an ending of its type, whatever it was called, so that no machine runs it as a program. */
export function savedName({ fileName, mediaType }: Pick<AttachmentDto, 'fileName' | 'mediaType'>): string {
  const endings: readonly string[] = ATTACHMENT_TYPES[mediaType]
  const hasEnding = endings.some((ending) => fileName.toLowerCase().endsWith(`.${ending}`))
  return hasEnding ? fileName : `${fileName}.${endings[0]}`
}
