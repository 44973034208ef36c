/** More than any scan; the whole file is in memory while its digest is computed. */
export const FILE_BYTES_MAX = 50 * 1024 * 1024

/** Returns the SHA-256 digest of a file in hexadecimal, computed in the browser: the file is not sent. Rejects if it cannot be read. */
export async function readDigest(file: File): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
