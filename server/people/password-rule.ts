/** Length is what makes a password strong; rules about its characters do not. */
const LENGTH_MIN = 12
const LENGTH_MAX = 1_024

/** Whether a person may choose this password. */
export function isPasswordAcceptable(password: string): boolean {
  return password.length >= LENGTH_MIN && password.length <= LENGTH_MAX
}
