import { z } from 'zod';
import { ConfigSchema } from './schema.ts';

/**
 * The JSON Schema that editors check configs with (`configs/tidegate.schema.json`), as text. Keys are required
 * only inside list items: elsewhere a file may leave them to the one it extends, so there `x-required`, which
 * editors pass over, tells docs/config.md what the whole must have.
 */
export function configJsonSchema(): string {
  const schema = z.toJSONSchema(ConfigSchema, {
    io: 'input',
    target: 'draft-7',
    override: ({ jsonSchema, path }) => {
      if (jsonSchema.required === undefined || path.includes('items')) return;
      jsonSchema['x-required'] = jsonSchema.required;
      delete jsonSchema.required;
    },
  });
  return `${JSON.stringify(schema, null, 2)}\n`;
}
