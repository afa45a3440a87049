import type { z } from 'zod';
import { childSchemas, wantsText } from '../schema/schema-walk.ts';
import type { ConfigNode } from './tree.ts';

/**
 * The plain value of a tree. Where the schema wants text and the file has a bare number, the text is the
 * number's digits as written: `1000.10` stays `1000.10`, which no double can say.
 */
export function toValue(node: ConfigNode, schemas: readonly z.core.$ZodType[]): unknown {
  if (node.kind === 'scalar') return typeof node.value === 'number' && wantsText(schemas) ? node.text : node.value;
  if (node.kind === 'list') return node.items.map((item, index) => toValue(item, childSchemas(schemas, index)));
  return Object.fromEntries([...node.entries].map(([key, { value }]) => [key, toValue(value, childSchemas(schemas, key))]));
}
