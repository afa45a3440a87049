/**
 * The first sentence of the doc comment on a class, looked for in the texts of the files that may have it; empty where
 * there is none.
 */
export function docLine(name: string, texts: readonly string[]): string {
  const head = new RegExp(
    String.raw`/\*\*((?:(?!\*/)[^])*)\*/\s*(?:@[^\n]*\s+)*(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\s+${name.replaceAll('$', '\\$')}\b`,
  );
  const comment = texts.map((text) => head.exec(text)?.[1]).find((found) => found !== undefined) ?? '';
  const [paragraph = ''] = comment
    .replace(/^[ \t]*\*?[ \t]?/gm, '')
    .trim()
    .split(/\n\s*\n/);
  const line = paragraph.replace(/\s+/g, ' ');
  return /^.*?\.(?= \p{Lu}|$)/u.exec(line)?.[0] ?? line;
}
