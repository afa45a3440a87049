import type { ConfigNode, MapEntry, MapNode } from './tree.ts';

/** `over` laid on `base`: maps merge key by key, lists and values are replaced. */
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

/**
 * Leaves out settings with an empty value (`risk:`): the same as not writing them, and how an overlay takes
 * away what it inherits. Strategy parameters keep theirs, where null may mean something.
 */
export function dropEmpty(node: ConfigNode, key = ''): ConfigNode {
  if (node.kind === 'list') return { ...node, items: node.items.map((item) => dropEmpty(item)) };
  if (node.kind === 'scalar' || key === 'params') return node;
  const entries = new Map<string, MapEntry>();
  for (const [name, { keyAt, value }] of node.entries) {
    if (value.kind !== 'scalar' || value.value !== null) entries.set(name, { keyAt, value: dropEmpty(value, name) });
  }
  return { ...node, entries };
}
