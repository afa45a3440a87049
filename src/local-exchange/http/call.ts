import type { IncomingHttpHeaders } from 'node:http';
import type { ExchangeAccount } from '../accounts/exchange-account.ts';
import type { ActionKind, ArgsOf, ResultOf } from '../core/actions.ts';
import type { Exchange } from '../core/exchange.ts';
import type { LimitSettings } from './request-limits.ts';

/** What an operation has to work with, whoever asks. */
export interface PublicCall {
  readonly exchange: Exchange;
  /** Epoch ms, whole. */
  readonly now: number;
  /** The server's clock as its time endpoints tell it, which a fault may have set wrong. */
  readonly shownTime: number;
  readonly limits: LimitSettings;
}

/** And when it is known who does. */
export interface Call extends PublicCall {
  readonly account: ExchangeAccount;
  /** Changes the exchange. @throws Refusal. */
  act<K extends ActionKind>(kind: K, args: ArgsOf<K>): ResultOf<K>;
}

/** A request as it arrived: raw target and raw body, nothing parsed. */
export interface WireRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  readonly ip: string;
}

export interface WireReply {
  readonly status: number;
  /** JSON text. */
  readonly body: string;
}

/** A header's value; the last where it was sent twice. Empty where it is missing. */
export function header(request: WireRequest, name: string): string {
  const value = request.headers[name.toLowerCase()];
  return (Array.isArray(value) ? value.at(-1) : value) ?? '';
}

/** Stands for a symbol that the caller left out. */
export const ANY_SYMBOL = '*';
