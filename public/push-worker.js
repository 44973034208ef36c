// Shows browser notifications and opens their pages. It has no fetch handler and stores nothing; its scope contains no page.

self.addEventListener('push', (event) => {
  const { title, body, path, lang, tag } = event.data.json()
  event.waitUntil(self.registration.showNotification(title, { body, lang, tag, data: { path } }))
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(openPage(event.notification.data.path))
})

/** Opens a page of our own origin, and of no other; one that is open already gets the focus. */
async function openPage(path) {
  const url = new URL(path, self.location.origin)
  if (url.origin !== self.location.origin) return
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const open = pages.find((page) => page.url === url.href)
  await (open ? open.focus() : self.clients.openWindow(url.href))
}
