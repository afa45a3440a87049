import { z } from 'zod';
import type { FieldKind } from '../../src/exchange/fields.ts';
import type { Operation, OperationName } from '../../src/exchange/operations/operation-table.ts';
import { OPERATIONS } from '../../src/exchange/operations/operations.ts';

/** The operations whose replies a running bot reads. */
export const READ = [
  'spotTime',
  'ticker',
  'futuresTicker',
  'fundingHistory',
  'exchangeInfo',
  'contracts',
  'batchOrders',
  'cancelOrder',
  'orderInfo',
  'fills',
  'accountAssets',
  'transferRecords',
  'triggerOrder',
  'placeFuturesOrder',
  'futuresBatchOrders',
  'cancelFuturesOrder',
  'futuresOrders',
  'triggers',
  'futuresOrder',
  'futuresHistory',
  'triggerHistory',
  'futuresFills',
  'futuresAccount',
  'futuresBills',
] as const satisfies readonly OperationName[];

export type ReadName = (typeof READ)[number];

/** A step from a value to one inside: a key of an object, or each record of a list or of an object of records. */
type Step = string | typeof EACH;
export const EACH = '*';

/** A field of a reply, as its declaration says it. */
export interface ReplyField {
  readonly operation: ReadName;
  /** From the payload. */
  readonly path: readonly Step[];
  readonly kind: FieldKind | 'list';
  readonly signed: boolean;
  readonly words: readonly string[];
}

/** Every field of every reply that a running bot reads, in the order of the declarations. */
export function replyFields(): readonly ReplyField[] {
  return READ.flatMap((operation) => [...fieldsOf(operation, (OPERATIONS[operation] as Operation).payload, [])]);
}

interface Facts {
  readonly kind?: FieldKind;
  readonly signed?: boolean;
  readonly words?: readonly string[];
}

function* fieldsOf(operation: ReadName, schema: z.ZodType, path: readonly Step[]): Generator<ReplyField> {
  const { kind, signed = false, words = [] } = (schema.meta() ?? {}) as Facts;
  if (kind !== undefined) yield { operation, path, kind, signed, words };
  else if (schema instanceof z.ZodObject)
    for (const [key, field] of Object.entries(schema.shape)) yield* fieldsOf(operation, field as z.ZodType, [...path, key]);
  else if (schema instanceof z.ZodArray) {
    yield { operation, path, kind: 'list', signed: false, words: [] };
    yield* fieldsOf(operation, schema.element as z.ZodType, [...path, EACH]);
  } else if (schema instanceof z.ZodRecord) yield* fieldsOf(operation, schema.valueType as z.ZodType, [...path, EACH]);
  else if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    yield* fieldsOf(operation, schema.unwrap() as z.ZodType, path);
  else throw new Error(`${operation}.${path.join('.')}: a field that says not what it is`);
}

/** As people write it: `futuresAccount.position.size`. */
export function nameOf({ operation, path }: Pick<ReplyField, 'operation' | 'path'>): string {
  const name = [operation, ...path.filter((step) => step !== EACH)].join('.');
  return path.length > 1 && path.at(-1) === EACH ? `${name}[]` : name;
}
