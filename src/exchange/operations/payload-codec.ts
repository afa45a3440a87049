import { z } from 'zod';
import type { Operation } from './operation.ts';

/** What a reply's payload says, or the first field that is not as documented. */
export type Payload<T> = { readonly value: T } | { readonly complaint: string };

export function decodePayload<O extends Operation>(operation: O, wire: unknown): Payload<z.output<O['payload']>> {
  const { data, error } = z.safeDecode(operation.payload, wire);
  if (error === undefined) return { value: data as z.output<O['payload']> };
  const [first] = error.issues;
  const said =
    first?.code === 'invalid_type' && first.input === undefined && first.path.length > 0 ? 'is missing or of another type' : first?.message;
  return { complaint: `${first?.path.join('.') || 'the payload'}: ${said ?? 'unreadable'}` };
}

/**
 * A payload in the wire's forms, for `writeJson`.
 * @throws ZodError for a payload that breaks the document: a fault of the server.
 */
export function encodePayload<O extends Operation>(operation: O, payload: z.output<O['payload']>): unknown {
  return z.encode(operation.payload, payload);
}
