import { z } from 'zod';

/** The forms a field has on the wire, in the document's words: a `long` is an integer that may pass 2^53. */
export type WireType = 'string' | 'string or null' | 'integer' | 'long' | 'boolean';

export interface WireRule<T> {
  readonly type: WireType;
  /** What is expected, to follow "must be". */
  readonly expected: string;
  /** The error code with which a server refuses anything else; without one, 40020 (parameter invalid). */
  readonly code?: string;
  /** The value inside; `undefined` for what the wire must not say here. */
  readonly read: (wire: unknown) => T | undefined;
  readonly write: (value: T) => unknown;
  /** Total: asked of anything at all. */
  readonly allows: (value: unknown) => boolean;
  /** What a missing field counts as; without it, a missing field is refused. */
  readonly absent?: T;
}

/**
 * A field as a two-way schema: `z.decode` reads the wire's form, `z.encode` writes it. Client and server use the
 * same one in opposite directions, so they cannot disagree.
 */
export function wireField<T>({ type, expected, code, read, write, allows, absent }: WireRule<T>) {
  const error = `must be ${expected}`;
  const params = { code };
  const inside = z.custom<T>(allows, { error, params });
  // An object refuses a missing key before the field is asked, unless the field is optional on that side.
  const onWire: z.ZodType<unknown> = absent === undefined ? z.unknown() : z.unknown().optional();
  return z
    .codec(onWire, inside, {
      decode: (wire, payload) => {
        const value = wire === undefined ? absent : read(wire);
        if (value !== undefined) return value;
        payload.issues.push({ code: 'custom', message: error, input: wire, params, continue: false });
        return z.NEVER;
      },
      // Zod tries this before it has looked at the value.
      encode: (value) => (allows(value) ? write(value) : undefined),
    })
    .meta({ wire: type });
}
