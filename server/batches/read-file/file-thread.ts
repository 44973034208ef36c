import { parentPort } from 'node:worker_threads'
import { readFile } from './read-file.ts'

// The thread that reads one file and ends. A failure that is not a verdict about the file ends it with an error, which its parent reports.
parentPort?.once('message', async (bytes: Uint8Array) => {
  parentPort?.postMessage(await readFile(bytes))
})
