import type { z } from 'zod';

export type Host = 'spot' | 'futures';
/** How a reply wraps its payload (see `envelope.ts`). */
export type Envelope = 'standard' | 'affiliate' | 'bare';
/** What a request does there: a read may be repeated, the others never blind. */
export type Effect = 'read' | 'order' | 'cancel' | 'withdrawal';
/** Who goes first where weight is scarce, from the first on. */
export const PRIORITIES = ['cancel', 'orderQuery', 'place', 'account', 'market'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** One row of the table: all that is known of an operation but for its schemas. */
export interface OperationRow {
  /** In the document; `undefined` for extras beyond the twenty. */
  readonly number: number | undefined;
  readonly title: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly host: Host;
  readonly envelope: Envelope;
  /** Where the payload lies: in `data`, beside `code`, or the whole body. */
  readonly payloadAt: 'data' | 'top' | 'body';
  /** What `code` says on success, as the local exchange sends it. */
  readonly success: '00000' | '200' | undefined;
  /** Against the caller's IP and its UID; public operations have none of the latter. */
  readonly weight: { readonly ip: number; readonly uid: number };
  readonly signed: boolean;
  readonly parameters: 'query' | 'body';
  readonly effect: Effect;
  readonly priority: Priority;
}

/** An object of fields, read by `z.decode` and written by `z.encode`. */
export type RequestSchema = z.ZodObject;

/** A row with its schemas. `defaults` are what a server puts in for parameters left out. */
export interface Operation<Q extends RequestSchema = RequestSchema, P extends z.ZodType = z.ZodType> extends OperationRow {
  readonly name: string;
  readonly extra: boolean;
  readonly request: Q;
  readonly payload: P;
  readonly defaults: Readonly<Record<string, string | number>>;
}
