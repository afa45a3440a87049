import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  type YAMLParseError,
  type YAMLWarning,
} from 'yaml';
import type { Problem } from './problems.ts';
import type { ConfigNode, MapEntry, Position, Source } from './tree.ts';

/** More than any config needs; keeps aliases of aliases from growing without end. */
const MAX_NODES = 20_000;
const MAX_DEPTH = 64;

export interface ReadTree {
  /** Absent when the text is empty or no YAML. */
  readonly root: ConfigNode | undefined;
  readonly problems: readonly Problem[];
}

/** Reads YAML 1.2 (core schema: dates stay text) into a tree with places. Never throws. */
export function readTree(text: string, source: Source): ReadTree {
  const lines = new LineCounter();
  const positionAt = (offset: number): Position => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { source, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  try {
    const document = parseDocument(hideVariables(text), { lineCounter: lines, prettyErrors: false, version: '1.2', schema: 'core' });
    const faults = firstSyntaxFault([...document.errors, ...document.warnings]);
    if (faults.length > 0)
      return { root: undefined, problems: faults.map(({ pos, message }) => ({ at: positionAt(pos[0]), message: explain(message) })) };
    const reader = new TreeReader(positionAt, (alias) => alias.resolve(document));
    const root = document.contents === null ? undefined : reader.read(document.contents, 0);
    return { root, problems: reader.problems };
  } catch (error) {
    return {
      root: undefined,
      problems: [{ at: positionAt(0), message: `unreadable YAML: ${error instanceof Error ? error.message : error}` }],
    };
  }
}

/** After one fault of syntax the parser complains of all that follows; doubled keys stand each for itself. */
function firstSyntaxFault(faults: readonly (YAMLParseError | YAMLWarning)[]): readonly (YAMLParseError | YAMLWarning)[] {
  const first = faults.find(({ code }) => code !== 'DUPLICATE_KEY');
  return first === undefined ? faults : [first];
}

/** The parser's message without the piece of text that it quotes, which may be a secret. */
function explain(message: string): string {
  return `invalid YAML: ${message.replace(/: ".*$/s, '')}`;
}

/** Stand-ins for the braces of `${NAME}`, which would begin a map inside `{ }`. Noncharacters: no text has them. */
const OPEN = '\uFDD0';
const CLOSE = '\uFDD1';

function hideVariables(text: string): string {
  return text.replace(/\$\{([^{}\r\n]*)\}/g, `$$${OPEN}$1${CLOSE}`);
}

function showVariables(text: string): string {
  return text.replaceAll(OPEN, '{').replaceAll(CLOSE, '}');
}

class TreeReader {
  readonly problems: Problem[] = [];
  #count = 0;
  readonly #positionAt: (offset: number) => Position;
  readonly #resolve: (alias: Alias) => Node | undefined;

  constructor(positionAt: (offset: number) => Position, resolve: (alias: Alias) => Node | undefined) {
    this.#positionAt = positionAt;
    this.#resolve = resolve;
  }

  read(node: Node, depth: number): ConfigNode {
    const at = this.#positionAt(node.range?.[0] ?? 0);
    this.#count += 1;
    if (depth > MAX_DEPTH) return this.#refuse(at, `nested deeper than ${MAX_DEPTH} levels, or an alias within itself`);
    if (this.#count > MAX_NODES) return this.#refuse(at, `more than ${MAX_NODES} values`);
    if (isAlias(node)) {
      const target = this.#resolve(node);
      return target === undefined ? this.#refuse(at, `unknown alias *${node.source}`) : this.read(target, depth + 1);
    }
    if (isMap<Node, Node>(node)) return { kind: 'map', at, entries: this.#entries(node.items, depth) };
    if (isSeq<Node>(node)) return { kind: 'list', at, items: node.items.map((item) => this.read(item, depth + 1)) };
    return isScalar(node) ? this.#scalar(node, at) : this.#refuse(at, 'expected a map, a list or a value');
  }

  #entries(pairs: readonly Pair<Node, Node | null>[], depth: number): Map<string, MapEntry> {
    const entries = new Map<string, MapEntry>();
    for (const { key, value } of pairs) {
      const keyAt = this.#positionAt(key.range?.[0] ?? 0);
      const name = isScalar(key) && key.value !== null ? showVariables(key.source ?? String(key.value)) : undefined;
      if (name === undefined || name === '__proto__' || name === '<<') {
        this.#refuse(keyAt, name === '<<' ? 'merge keys are not supported: use `extends`' : 'expected a plain name as key');
      } else if (entries.has(name)) {
        this.#refuse(keyAt, `the key "${name}" stands here twice`);
      } else {
        const empty: ConfigNode = { kind: 'scalar', at: keyAt, value: null, text: '', plain: true };
        entries.set(name, { keyAt, value: value === null ? empty : this.read(value, depth + 1) });
      }
      if (this.#count > MAX_NODES) return entries;
    }
    return entries;
  }

  #scalar(node: Scalar, at: Position): ConfigNode {
    const value = typeof node.value === 'string' ? showVariables(node.value) : node.value;
    const plain = node.type === undefined || node.type === 'PLAIN';
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
