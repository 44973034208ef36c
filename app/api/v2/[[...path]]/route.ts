import { MOUNT } from '#server/http/door/mount-in-next.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = MOUNT
