import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/cli.ts';

/** A fenced block of a document: ```` ```ts strategies/dip.ts ```` has the language `ts` and that name. */
export interface Block {
  readonly language: string;
  readonly name: string;
  readonly text: string;
  /** Line of the document, from 1. */
  readonly line: number;
}

export function blocksOf(document: string): Block[] {
  const lines = readFileSync(join(ROOT, document), 'utf8').split('\n');
  const blocks: Block[] = [];
  let start: number | undefined;
  lines.forEach((line, index) => {
    if (!line.startsWith('```')) return;
    if (start === undefined) {
      start = index;
      return;
    }
    const [language = '', name = ''] = lines[start]!.slice(3).trim().split(' ');
    blocks.push({ language, name, text: `${lines.slice(start + 1, index).join('\n')}\n`, line: start + 2 });
    start = undefined;
  });
  if (start !== undefined) throw new Error(`${document}:${start + 1}: a block that does not end`);
  return blocks;
}

/** The commands of a `sh` block: lines that end in a backslash go on, comments are left out. */
export function commandsOf({ text }: Block): string[] {
  const lines = text.replaceAll('\\\n', ' ').split('\n');
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
}
