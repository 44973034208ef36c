// `npm run admin -- <command>`: what the machine's administrator does to applications, keys and people.
import { runAdmin } from '#server/admin/run-admin.ts'

process.exitCode = await runAdmin(process.argv.slice(2), { environment: process.env, print: console.log, complain: console.error })
