/**
 * In a browser: asks every few seconds for this page, and loads it again once it is answered without a failure of the server. Returns a
 * function that stops it. Without imports and helpers, because a page that is rendered without Next carries the text of this function.
 */
export function reloadOnceAnswered(): () => void {
  const pauseMs = 3_000
  let timer: ReturnType<typeof setTimeout>
  function ask(): void {
    // As a request for data, which does not count as use of the session.
    const request = fetch(location.href, { method: 'HEAD', headers: { accept: 'application/json' }, cache: 'no-store', redirect: 'manual' })
    const answered = request.then(
      ({ status }) => status < 500,
      // biome-ignore lint/plugin/no-silent-error: nobody answered, so it is asked again.
      () => false,
    )
    void answered.then((isAnswered) => (isAnswered ? location.reload() : later()))
  }
  function later(): void {
    // Not all pages at one instant.
    timer = setTimeout(ask, pauseMs * (0.75 + Math.random() / 2))
  }
  later()
  return () => clearTimeout(timer)
}
