import { z } from 'zod';

/** A field that may be missing: left out, `null` or an empty string on the wire, `undefined` inside, left out again. */
export function maybe<S extends z.ZodType>(field: S) {
  return z
    .codec(z.unknown(), field.optional(), {
      decode: (wire) => (wire === null || wire === '' ? undefined : wire) as z.input<S>,
      encode: (wire) => wire,
    })
    .optional()
    .meta({ ...field.meta() });
}
