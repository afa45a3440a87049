import { z } from 'zod';

/** One field of a schema as the wire has it. */
export interface WireField {
  readonly path: string;
  readonly wire: string;
  readonly optional: boolean;
}

/** Every field of a schema by its path: `chains[].chain`, `contract_id_to_mode_setting.*.position_mode`. */
export function wireShape(schema: z.ZodType, path = '', optional = false): WireField[] {
  const wire = schema.meta()?.wire;
  if (typeof wire === 'string') return [{ path, wire, optional: optional || schema instanceof z.ZodOptional }];
  if (schema instanceof z.ZodObject) {
    const inside = Object.entries(schema.shape).flatMap(([key, field]) =>
      wireShape(field as z.ZodType, path === '' ? key : `${path}.${key}`),
    );
    return path === '' || path.endsWith(']') || path.endsWith('*') ? inside : [{ path, wire: 'object', optional }, ...inside];
  }
  if (schema instanceof z.ZodArray) {
    const items = wireShape(schema.element as z.ZodType, `${path}[]`);
    return path === '' ? items : [{ path, wire: 'array', optional }, ...items];
  }
  if (schema instanceof z.ZodRecord) return [{ path, wire: 'object', optional }, ...wireShape(schema.valueType as z.ZodType, `${path}.*`)];
  if (schema instanceof z.ZodNullable) {
    const [own, ...inside] = wireShape(schema.unwrap() as z.ZodType, path);
    return [{ ...own!, wire: `${own!.wire} or null` }, ...inside];
  }
  if (schema instanceof z.ZodOptional) return wireShape(schema.unwrap() as z.ZodType, path, true);
  throw new Error(`${path}: a schema without a wire type`);
}
