/** Orange takes up to 20 characters. */
const TIME_DIGITS = 12
const REST_DIGITS = 8

/**
 * Orange's `orderId` for a reference of ours: the time with which it begins, so that people recognise it, and eight characters of
 * the rest. Nothing depends on it being unique: one payToken is one payment.
 */
export function orderIdOf(reference: string): string {
  const digits = reference.replaceAll('-', '')
  const rest = BigInt(`0x${digits.slice(TIME_DIGITS)}`) % 36n ** BigInt(REST_DIGITS)
  return digits.slice(0, TIME_DIGITS) + rest.toString(36).padStart(REST_DIGITS, '0')
}
