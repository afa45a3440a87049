import type { Envelope, OperationName } from '../../../src/exchange/operations/operation-table.ts';
import type { ExchangeOptions } from '../../../src/local-exchange/options.ts';
import { SUMMARY } from '../../exchange/document.ts';
import { failure, type Local, type RawRequest } from '../../local-exchange/local.ts';
import { typeOf } from './documented.ts';

export type Parameters = Readonly<Record<string, unknown>>;

/** A request that breaks one rule. */
export interface Refused {
  readonly title: string;
  /** Laid over the good request, in the client's forms; `undefined` leaves a parameter out. */
  readonly change: Parameters;
  /** What the client says of it, its own name left out. `undefined`: only the exchange can know. */
  readonly said: string | undefined;
  /** The exchange's code for it. */
  readonly code: string;
}

/** What one operation is held to; all the rest follows from the tables of the document. */
export interface Contract {
  readonly number: number;
  readonly name: OperationName;
  /** Who asks; the guest where left out. */
  readonly as?: string;
  readonly options?: Partial<ExchangeOptions>;
  /** Brings about what the operation is asked of. */
  readonly prepare?: ((local: Local) => Promise<void>) | undefined;
  /** A good request, in the client's forms: ids as strings. Called anew for each, since client ids are used once. */
  readonly request: (local: Local) => Parameters;
  /** Rules that the document states in words. */
  readonly refused?: readonly Refused[];
  /** Titles of breaches that the exchange puts up with all the same. */
  readonly taken?: readonly string[];
}

export interface DocumentRow {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly host: 'spot' | 'futures';
  readonly envelope: Envelope;
  readonly ip: number;
  /** `undefined`: the operation is public. */
  readonly uid: number | undefined;
}

/** The operation's row of the document's summary. */
export function documentRow(number: number): DocumentRow {
  const [, method, path, host, envelope, weights] = SUMMARY.find((row) => row[0] === number)!;
  const [ip, uid] = weights.split(' / ');
  return { method, path, host, envelope, ip: Number(ip), uid: uid === '-' ? undefined : Number(uid) };
}

/** A request as it goes over the wire, built from the document alone: no schema and no check of the client's takes part. */
export function rawRequest({ number, as = 'guest' }: Contract, parameters: Parameters): RawRequest {
  const { method, path, host, uid } = documentRow(number);
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const signer = { host, method, as: uid === undefined ? undefined : as };
  if (method === 'POST')
    return { ...signer, target: path, body: Object.fromEntries(given.map(([key, value]) => [key, bare(number, key, value)])) };
  const query = given.map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`).join('&');
  return { ...signer, target: query === '' ? path : `${path}?${query}` };
}

/** Longs are bare integers on the wire. */
function bare(number: number, name: string, value: unknown): unknown {
  return typeOf(number, name) === 'long' && typeof value === 'string' && /^\d+$/.test(value) ? BigInt(value) : value;
}

type Client = ReturnType<Local['client']>;

/** Calls the operation by its typed method. */
export function call(client: Client, { name }: Contract, parameters: Parameters): Promise<unknown> {
  return (client[name] as (request: Parameters) => Promise<unknown>).call(client, parameters);
}

/** How a call fails that finds nobody on the other side: whatever is not refused before it leaves is unreachable. */
export function refusalOfClient(local: Local, contract: Contract, parameters: Parameters): Promise<Record<string, unknown> & Error> {
  const nowhere = { spotBaseUrl: 'http://127.0.0.1:1', contractBaseUrl: 'http://127.0.0.1:1' };
  return failure(call(local.client(contract.as, nowhere), contract, parameters));
}
