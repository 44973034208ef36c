// `npm run clients`: writes the types and operations of the OpenAPI document into the clients.
import { writeFileSync } from 'node:fs'
import { makeClients } from './client-files.ts'

for (const { path, generated } of makeClients()) writeFileSync(path, generated)
