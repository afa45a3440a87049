/** The path of a value in a config: map keys and list indices, from the top. */
export type ConfigPath = readonly (string | number)[];

/** Formats a path, for example `strategies[0].params.fast`; an empty text for the top. */
export function formatPath(path: ConfigPath): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += text === '' ? part : `.${part}`;
  }
  return text;
}

/** A source of config values: a file, or one `--set` argument. */
export interface Source {
  /** The name in messages: the path as the user gave it, or `--set`. */
  readonly shown: string;
  /** Absolute folder at which relative paths in it start. */
  readonly folder: string;
  readonly lines: readonly string[];
}

/** A position in a source; line and column start at 1. The values of an object have the line 0, and their number as the column. */
export interface Position {
  readonly source: Source;
  readonly line: number;
  readonly column: number;
}

/** A position as messages show it; `text` is the whole line. The line is 0 for a value of an object, which has no place in a file. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

export function makeSource(shown: string, folder: string, text: string): Source {
  return { shown, folder, lines: text.split(/\r\n|\n|\r/) };
}

export function placeOf(position: Position): Place {
  const { source, line, column } = position;
  return { file: source.shown, line, column, text: source.lines[line - 1] ?? '' };
}

/** A config before its types are checked: every value with its position. */
export type ConfigNode = MapNode | ListNode | ScalarNode;

export interface MapNode {
  readonly kind: 'map';
  readonly at: Position;
  readonly entries: ReadonlyMap<string, MapEntry>;
}
export interface MapEntry {
  readonly keyAt: Position;
  readonly value: ConfigNode;
}
interface ListNode {
  readonly kind: 'list';
  readonly at: Position;
  readonly items: readonly ConfigNode[];
}
export interface ScalarNode {
  readonly kind: 'scalar';
  readonly at: Position;
  readonly value: string | number | boolean | null;
  /** The digits of a number as written: `1000.10`, which as a number is `1000.1`. */
  readonly text: string;
  /** True without quotes: after `${NAME}` is replaced, it may be a number. */
  readonly plain: boolean;
  /** The value as written, if `${NAME}` was replaced in it: messages show this instead of the value from the environment. */
  readonly written?: string | undefined;
}

/** The value under a key or an index of a node. */
export function child(node: ConfigNode, key: string | number): ConfigNode | undefined {
  if (node.kind === 'map') return node.entries.get(String(key))?.value;
  return node.kind === 'list' ? node.items[Number(key)] : undefined;
}

export function nodeAt(root: ConfigNode, path: ConfigPath): ConfigNode | undefined {
  return path.reduce<ConfigNode | undefined>((node, key) => node && child(node, key), root);
}

/** The value at a path as written, if a part of it came from the environment. */
export function writtenAt(root: ConfigNode, path: ConfigPath): string | undefined {
  const node = nodeAt(root, path);
  return node?.kind === 'scalar' ? node.written : undefined;
}

/**
 * The position that a message shows for a path: a scalar's value, or the key of a map or list. For a missing section, the line below the
 * last one; for another missing path, the position of the nearest node above it.
 */
export function positionOf(root: ConfigNode, path: ConfigPath): Position {
  if (path.length === 1 && root.kind === 'map' && child(root, path[0]!) === undefined) return afterLast(root);
  let node = root;
  let at = root.at;
  for (const key of path) {
    const next = child(node, key);
    if (next === undefined) return at;
    at = next.kind === 'scalar' || node.kind !== 'map' ? next.at : (node.entries.get(String(key))?.keyAt ?? next.at);
    node = next;
  }
  return at;
}

/** The line below the settings of a file, where a missing section would be. */
function afterLast({ at }: MapNode): Position {
  if (at.line === 0) return at;
  const { lines } = at.source;
  return { source: at.source, line: lines.findLastIndex((line) => line.trim() !== '') + 2, column: 1 };
}

/** The position of a key. */
export function keyPositionOf(root: ConfigNode, path: ConfigPath): Position {
  const node = nodeAt(root, path.slice(0, -1));
  const entry = node?.kind === 'map' ? node.entries.get(String(path.at(-1))) : undefined;
  return entry?.keyAt ?? positionOf(root, path);
}

/** A copy in which `change` has replaced every scalar. */
export function mapScalars(
  node: ConfigNode,
  change: (scalar: ScalarNode, path: ConfigPath) => ConfigNode,
  path: ConfigPath = [],
): ConfigNode {
  if (node.kind === 'scalar') return change(node, path);
  if (node.kind === 'list') return { ...node, items: node.items.map((item, index) => mapScalars(item, change, [...path, index])) };
  const entries = [...node.entries].map(([key, { keyAt, value }]): [string, MapEntry] => [
    key,
    { keyAt, value: mapScalars(value, change, [...path, key]) },
  ]);
  return { ...node, entries: new Map(entries) };
}

/** Merges `over` into `base`: maps are merged key by key, lists and values are replaced. */
export function merge(base: ConfigNode, over: ConfigNode): ConfigNode {
  if (base.kind !== 'map' || over.kind !== 'map') return over;
  const entries = new Map(base.entries);
  for (const [key, entry] of over.entries) {
    const below = entries.get(key);
    entries.set(key, below === undefined ? entry : { keyAt: entry.keyAt, value: merge(below.value, entry.value) });
  }
  return { ...over, entries };
}

/** A copy of a map without one key. */
export function without(node: MapNode, key: string): MapNode {
  const entries = new Map(node.entries);
  entries.delete(key);
  return { ...node, entries };
}
