import type { ConfigPath } from './config-path.ts';
import type { Position } from './source.ts';

/** A config before its types are known: every value with the place it came from. */
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
export interface ListNode {
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
  /** Not in quotes: after `${NAME}` is replaced, it may turn out to be a number. */
  readonly plain: boolean;
}

export function child(node: ConfigNode, key: string | number): ConfigNode | undefined {
  if (node.kind === 'map') return node.entries.get(String(key))?.value;
  return node.kind === 'list' ? node.items[Number(key)] : undefined;
}

export function nodeAt(root: ConfigNode, path: ConfigPath): ConfigNode | undefined {
  return path.reduce<ConfigNode | undefined>((node, key) => node && child(node, key), root);
}

/**
 * Where to point for a path: a scalar's value, a map's or list's key. For a path that is not there, the
 * nearest thing above it.
 */
export function positionOf(root: ConfigNode, path: ConfigPath): Position {
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

/** Where the key itself stands, for keys that should not be there. */
export function keyPositionOf(root: ConfigNode, path: ConfigPath): Position {
  const node = nodeAt(root, path.slice(0, -1));
  const entry = node?.kind === 'map' ? node.entries.get(String(path.at(-1))) : undefined;
  return entry?.keyAt ?? positionOf(root, path);
}

/** A copy in which every scalar is what `change` makes of it. */
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
