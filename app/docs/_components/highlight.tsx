import { Fragment } from 'react'

const TOKEN =
  /(?<comment>(?:^|(?<=\s))(?:#|\/\/)[^\n]*|\/\*[\s\S]*?\*\/|"""[\s\S]*?""")|(?<text>"[^"\n]*"|'[^'\n]*')|(?<word>\b(?:import|from|const|await|if|throw|new|return|export|function|def|with|as|or|not|and|any|for|in|foreach|echo|case|esac|curl|openssl)\b)/gm

/**
 * Source text with comments in grey and keywords in a heavier weight. No colours: on these pages they are states of transactions or
 * operators.
 */
export function Highlight({ source, isCode }: { source: string; isCode: boolean }) {
  if (!isCode) return source
  const parts: { text: string; kind: 'comment' | 'word' | undefined }[] = []
  let at = 0
  for (const match of source.matchAll(TOKEN)) {
    parts.push({ text: source.slice(at, match.index), kind: undefined })
    const kind = match.groups?.['comment'] !== undefined ? 'comment' : match.groups?.['word'] !== undefined ? 'word' : undefined
    parts.push({ text: match[0], kind })
    at = match.index + match[0].length
  }
  parts.push({ text: source.slice(at), kind: undefined })
  return parts.map(({ text, kind }, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their order.
    if (kind === undefined) return <Fragment key={index}>{text}</Fragment>
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above.
      <span key={index} className={kind === 'comment' ? 'text-quiet' : 'font-strong'}>
        {text}
      </span>
    )
  })
}
