import { config } from 'zod'

// By default a schema tries to compile itself, which the content policy refuses and reports. Imported before the first schema.
config({ jitless: true })
