import { closeSync, openSync, readSync } from 'node:fs';
import {
  type Alias,
  type CST,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  parseDocument,
  type Scalar,
  type YAMLParseError,
  type YAMLWarning,
} from 'yaml';
import { type Problem, slipHint } from './problems.ts';
import type { ConfigNode, MapEntry, Position, Source } from './tree.ts';

/** More than any config needs. The limit stops aliases of aliases from growing without end. */
const MAX_NODES = 20_000;
const MAX_DEPTH = 64;
/** Larger files are refused. */
const MAX_CONFIG_BYTES = 1 << 20;
/** The limit of words, signs, blanks and comments: more than any config needs. */
const MAX_LEXEMES = 400_000;

export interface ReadTree {
  /** Undefined if the text is empty or not YAML. */
  readonly root: ConfigNode | undefined;
  readonly problems: readonly Problem[];
}

/** Reads YAML 1.2 (core schema: dates stay text) into a tree that has the place of each value. Never throws. */
export function readTree(text: string, source: Source): ReadTree {
  const lines = new LineCounter();
  const positionAt = (offset: number): Position => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { source, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  try {
    const excess = excessOf(text);
    if (excess !== undefined) return { root: undefined, problems: [{ at: positionAt(excess.offset), message: excess.message }] };
    const document = parseDocument(hideVariables(text), { lineCounter: lines, prettyErrors: false, version: '1.2', schema: 'core' });
    const faults = firstSyntaxFault([...document.errors, ...document.warnings]);
    if (faults.length > 0) {
      const problems = faults.map(({ code, pos, message }) => {
        const at = positionAt(pos[0]);
        return { at, message: explain(code, message) + lineHint(at) };
      });
      return { root: undefined, problems };
    }
    const reader = new TreeReader(positionAt);
    const root = document.contents === null ? undefined : reader.read(document.contents, 0);
    return { root, problems: reader.problems };
  } catch (error) {
    return {
      root: undefined,
      problems: [{ at: positionAt(0), message: `unreadable YAML: ${error instanceof Error ? error.message : error}` }],
    };
  }
}

/**
 * Checks the limits of a text before a tree is built. To build it takes a stack as deep as the nesting, and time for each value. The
 * lexer and the parser of tokens are not recursive.
 */
function excessOf(text: string): { offset: number; message: string } | undefined {
  if (text.length > MAX_CONFIG_BYTES) return { offset: 0, message: new ConfigTooLarge().message };
  let lexemes = 0;
  let read = 0;
  for (const lexeme of new Lexer().lex(text)) {
    read += lexeme.length;
    if (++lexemes > MAX_LEXEMES) return { offset: Math.min(read, text.length), message: `more than ${MAX_LEXEMES} words and signs` };
  }
  let count = 0;
  const waiting: { token: CST.Token; depth: number }[] = [];
  for (const top of new Parser().parse(text)) {
    waiting.push({ token: top, depth: 0 });
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { token, depth } = next;
      if (depth > MAX_DEPTH + 1) return { offset: token.offset, message: `nested deeper than ${MAX_DEPTH} levels` };
      if (++count > 2 * MAX_NODES) return { offset: token.offset, message: `more than ${MAX_NODES} values` };
      if ('items' in token) {
        for (const { key, value } of token.items) {
          if (value) waiting.push({ token: value, depth: depth + 1 });
          if (key) waiting.push({ token: key, depth: depth + 1 });
          else count++;
        }
      } else if (token.type === 'document' && token.value) waiting.push({ token: token.value, depth });
    }
  }
  return undefined;
}

/** Thrown for a config above the limit of size. */
export class ConfigTooLarge extends Error {
  constructor() {
    super(`it is larger than ${MAX_CONFIG_BYTES / 1024} KiB, the limit for a config`);
  }
}

/** Reads the text of a config. @throws ConfigTooLarge, or Error with the reason why it cannot be read. */
export function readConfigText(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    // Reads up to the limit, because the length of a device or a pipe is unknown.
    const bytes = Buffer.alloc(MAX_CONFIG_BYTES + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(descriptor, bytes, length, bytes.length - length, null);
    }
    if (length > MAX_CONFIG_BYTES) throw new ConfigTooLarge();
    return bytes.toString('utf8', 0, length);
  } finally {
    closeSync(descriptor);
  }
}

/** After one syntax error the parser reports everything that follows, so only the first counts. Duplicate keys are all reported. */
function firstSyntaxFault(faults: readonly (YAMLParseError | YAMLWarning)[]): readonly (YAMLParseError | YAMLWarning)[] {
  const first = faults.find(({ code }) => code !== 'DUPLICATE_KEY');
  return first === undefined ? faults : [first];
}

/** The parser's message without the quoted text, which may be a secret. */
function explain(code: string, message: string): string {
  if (code === 'DUPLICATE_KEY') return 'this key is written twice in its section: remove one of the two';
  if (code === 'MULTIPLE_DOCS') return 'a second document begins here: a config is one, so remove `---`, or put the rest into another file';
  return `invalid YAML: ${message.replace(/: ".*$/s, '')}`;
}

/** Placeholders for the braces of `${NAME}`, which would begin a map inside `{ }`. They are noncharacters, so no text has them. */
const OPEN = '\uFDD0';
const CLOSE = '\uFDD1';

function hideVariables(text: string): string {
  return text.replace(/\$\{([^{}\r\n]*)\}/g, `$$${OPEN}$1${CLOSE}`);
}

function showVariables(text: string): string {
  return text.replaceAll(OPEN, '{').replaceAll(CLOSE, '}');
}

/** Whether there is no value: `key:` and the end of the line. An explicit `null` or `~` is a value. */
function isEmpty(node: Node): boolean {
  return isScalar(node) && node.value === null && node.source === '' && node.anchor === undefined;
}

/** Shows only the first word of the name: after a mistake the rest is the value, which may be a secret. */
function missingValue(name: string): string {
  const [word = ''] = /^[\w.-]*/.exec(name) ?? [];
  const shown = word === name ? word : `${word}...`;
  return `"${shown}" has no value${slipHint(name) || ': write one, or remove the key; `null` removes an inherited setting'}`;
}

/** The hint for the line of a problem, or for the line before it: the parser notices some mistakes only on the next line. */
function lineHint({ source, line }: Position): string {
  const hints = [line, line - 1].map((number) => slipHint((source.lines[number - 1] ?? '').replace(/^\s*(- +)*/, '')));
  const isSlip = (number: number) => !/^\s*(- +)*(?:[\w.-]+|"[^"]*"|'[^']*')\s*:( |\t|\r?$)/.test(source.lines[number - 1] ?? '');
  return (isSlip(line) && hints[0]) || (isSlip(line - 1) && hints[1] ? `${hints[1]} (line ${line - 1})` : '');
}

class TreeReader {
  readonly problems: Problem[] = [];
  #count = 0;
  readonly #positionAt: (offset: number) => Position;
  /** The anchors read so far. The library would search the whole document for each alias. */
  readonly #anchors = new Map<string, Node>();
  #insideAlias = 0;

  constructor(positionAt: (offset: number) => Position) {
    this.#positionAt = positionAt;
  }

  read(node: Node, depth: number): ConfigNode {
    const at = this.#positionAt(node.range?.[0] ?? 0);
    this.#count += 1;
    if (depth > MAX_DEPTH) return this.#refuse(at, `nested deeper than ${MAX_DEPTH} levels, or an alias within itself`);
    if (this.#count > MAX_NODES) return this.#refuse(at, `more than ${MAX_NODES} values`);
    if (isAlias(node)) return this.#target(node, at, depth);
    // Anchors inside an alias are already stored, and a later anchor may have the same name since.
    if (node.anchor !== undefined && this.#insideAlias === 0) this.#anchors.set(node.anchor, node);
    if (isMap<Node, Node>(node)) return { kind: 'map', at, entries: this.#entries(node.items, depth) };
    if (isSeq<Node>(node)) return { kind: 'list', at, items: node.items.map((item) => this.#item(item, depth + 1)) };
    return isScalar(node) ? this.#scalar(node, at) : this.#refuse(at, 'expected a map, a list or a value');
  }

  #target(alias: Alias, at: Position, depth: number): ConfigNode {
    const target = this.#anchors.get(alias.source);
    if (target === undefined) return this.#refuse(at, `unknown alias *${alias.source}`);
    this.#insideAlias++;
    const copy = this.read(target, depth + 1);
    this.#insideAlias--;
    return copy;
  }

  #entries(pairs: readonly Pair<Node, Node | null>[], depth: number): Map<string, MapEntry> {
    const entries = new Map<string, MapEntry>();
    for (const { key, value } of pairs) {
      const keyAt = this.#positionAt(key.range?.[0] ?? 0);
      const name = isScalar(key) && key.value !== null ? showVariables(key.source ?? String(key.value)) : undefined;
      if (name === undefined || name === '__proto__' || name === '<<') {
        this.#refuse(keyAt, name === '<<' ? 'merge keys (<<) are not supported: use `extends`' : 'expected a plain name as key');
      } else if (entries.has(name)) {
        this.#refuse(keyAt, `the key "${name}" is written twice`);
      } else {
        entries.set(name, { keyAt, value: this.#value(name, keyAt, value, depth + 1) });
      }
      if (this.#count > MAX_NODES) return entries;
    }
    return entries;
  }

  #value(name: string, keyAt: Position, value: Node | null, depth: number): ConfigNode {
    if (value === null || isEmpty(value)) return this.#refuse(keyAt, missingValue(name));
    const read = this.read(value, depth);
    // A setting without its colon is read as such a text, if it is the only one of its section.
    if (read.kind !== 'scalar' || !read.plain || read.at.line === keyAt.line || isAlias(value)) return read;
    return this.#refuse(read.at, `expected settings or a value in quotes below "${name}"${slipHint(read.text)}`);
  }

  #item(node: Node, depth: number): ConfigNode {
    if (!isEmpty(node)) return this.read(node, depth);
    return this.#refuse(this.#positionAt(node.range?.[0] ?? 0), 'this item of the list has no value: write one, or remove the line');
  }

  #scalar(node: Scalar, at: Position): ConfigNode {
    const value = typeof node.value === 'string' ? showVariables(node.value) : node.value;
    const plain = node.type === undefined || node.type === 'PLAIN';
    if (plain && typeof value === 'string' && value !== value.trim()) {
      return this.#refuse(
        at,
        'this value begins or ends with a blank that YAML reads as a letter, such as a no-break space: type the blank again',
      );
    }
    if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      return { kind: 'scalar', at, value, text: showVariables(node.source ?? String(value)), plain };
    }
    return this.#refuse(at, 'expected text, a number, true or false');
  }

  #refuse(at: Position, message: string): ConfigNode {
    if (this.problems.length < 100) this.problems.push({ at, message });
    return { kind: 'scalar', at, value: null, text: '', plain: true };
  }
}
