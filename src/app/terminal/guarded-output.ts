import { StringDecoder } from 'node:string_decoder';
import { printable } from '../base/printable.ts';

type Write = NodeJS.WriteStream['write'];

/** The original `write` of each guarded stream. */
const UNGUARDED = new WeakMap<NodeJS.WriteStream, Write>();

/**
 * Makes everything that is written to these streams `printable`: text of a bundle, a config, an exchange, a log or a strategy cannot
 * control the terminal. Tidegate's own texts with escapes are written with `steering` and `writeStyled`.
 */
export function guardOutput(streams: readonly NodeJS.WriteStream[] = [process.stdout, process.stderr]): void {
  for (const stream of streams) {
    if (UNGUARDED.has(stream)) continue;
    const write = stream.write.bind(stream) as (text: string, done?: (error?: Error | null) => void) => boolean;
    UNGUARDED.set(stream, write as Write);
    const decoder = new StringDecoder('utf8');
    stream.write = ((chunk: string | Uint8Array, ...rest: [encoding?: unknown, done?: unknown] | [done?: unknown]) => {
      const text = typeof chunk === 'string' ? chunk : decoder.write(Buffer.from(chunk));
      return write(printable(text), rest.find((one) => typeof one === 'function') as Parameters<typeof write>[1]);
    }) as Write;
  }
}

/** The unguarded stream, for output that moves the cursor. The caller makes foreign text `printable`. */
export function steering(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  return Object.create(stream, { write: { value: UNGUARDED.get(stream) ?? stream.write.bind(stream) } }) as NodeJS.WriteStream;
}

/** The styles that tables use (`TerminalTable`): bold, dim and normal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for control characters.
const STYLES = /(\u001b\[[012]m)/;

/** Writes tables: their styles pass, every other escape is made `printable`. */
export function writeStyled(stream: NodeJS.WriteStream, text: string): void {
  const parts = text.split(STYLES).map((part, index) => (index % 2 === 1 ? part : printable(part)));
  steering(stream).write(parts.join(''));
}
