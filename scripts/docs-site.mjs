// A TypeDoc plugin: the pages of docs appear under their titles, in groups by folder.
import { Converter } from 'typedoc';

const GROUPS = [
  ['docs/tutorials/', 'Tutorials'],
  ['docs/how-to/', 'How-to'],
  ['docs/reference/examples/', 'Examples'],
  ['docs/reference/', 'Reference'],
  ['docs/explanation/decisions/', 'Decisions'],
  ['docs/explanation/', 'Explanation'],
];

/** @param {import('typedoc').Application} app */
export function load(app) {
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, document) => {
    const [, group] = GROUPS.find(([folder]) => document.name.startsWith(folder)) ?? ['', 'Start here'];
    const text = document.content.map((part) => part.text).join('');
    const [, title] = /^# (.+)$/m.exec(text) ?? [];
    document.frontmatter.group = group;
    document.content = withPlainHeadings(document.content);
    if (title !== undefined) document.name = title.replaceAll('`', '');
  });
}

/** TypeDoc makes no anchor of code: in a heading it becomes text, so that links go where they go on GitHub. */
function withPlainHeadings(parts) {
  let line = '';
  return parts.map((part) => {
    const plain = part.kind === 'code' && /^#+ /.test(line);
    line = `${line}${part.text}`.split('\n').at(-1);
    return plain ? { ...part, kind: 'text', text: part.text.replaceAll('`', '').replace(/[<>|[\]]/g, '\\$&') } : part;
  });
}
