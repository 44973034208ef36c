/** See find-browser.mjs. */
export function findBrowser(root: string, say: (line: string) => void): Promise<string>
