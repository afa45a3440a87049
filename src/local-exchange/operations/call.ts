import { wireSymbol } from '../../exchange/symbols.ts';
import type { Instrument, InstrumentKind } from '../../model/instrument.ts';
import type { ActionKind, ArgsOf, ResultOf } from '../core/actions.ts';
import type { Coin } from '../core/coins.ts';
import type { Exchange } from '../core/exchange.ts';
import type { ExchangeAccount } from '../core/exchange-account.ts';
import type { OrderEntry } from '../core/order-store.ts';
import type { LimitSettings } from '../http/request-limits.ts';
import type { FuturesList } from '../options.ts';
import { Refusal } from '../refusal.ts';

/** Data that every operation receives in addition to its parameters. */
export interface PublicCall {
  readonly exchange: Exchange;
  /** Epoch ms, whole. */
  readonly now: number;
  /** The server's clock as its time endpoints show it, which a fault may have set wrong. */
  readonly shownTime: number;
  /** A time of the exchange as its server's clock stamped it, whole. */
  readonly stamp: (time: number) => number;
  readonly limits: LimitSettings;
}

/** The same for an operation that needs the caller's account. */
export interface Call extends PublicCall {
  readonly account: ExchangeAccount;
  /** Changes the exchange. @throws Refusal. */
  act<K extends ActionKind>(kind: K, args: ArgsOf<K>): ResultOf<K>;
  /** Cancels an open order of the account, now or later, depending on the behaviour. */
  cancel(uid: string, entry: OrderEntry): void;
}

/** Epoch ms of the present that a list of futures shows: it is `lagMs` behind. */
export function shownUntil(list: FuturesList, { exchange: { lists }, now }: Pick<Call, 'exchange' | 'now'>): number {
  return now - (lists.lagMs?.[list] ?? 0);
}

/** Stands for a symbol that the caller left out. */
export const ANY_SYMBOL = '*';

/** The instrument of a wire name, in any case. @throws Refusal 40102. */
export function listed({ instruments }: Exchange, kind: InstrumentKind, wire: string): Instrument {
  const folded = wire.toUpperCase();
  const found = instruments.find((instrument) => instrument.kind === kind && wireSymbol(instrument.symbol).toUpperCase() === folded);
  if (found === undefined) throw new Refusal('40102', `unknown trading pair ${wire.slice(0, 40)}`);
  return found;
}

export function listedOf({ instruments }: Exchange, kind: InstrumentKind): Instrument[] {
  return instruments.filter((instrument) => instrument.kind === kind);
}

export function coinNamed({ coins }: Exchange, name: string): Coin | undefined {
  return coins.find((coin) => coin.name === name);
}

/** Contract ids begin at 10000001, in the order of the config. */
export function contractId(exchange: Exchange, instrument: Instrument): string {
  return String(10_000_001 + listedOf(exchange, 'futures').indexOf(instrument));
}

/** The items of one page; `page` counts from 0. */
export function pageOf<T>(items: readonly T[], page: number, size: number): T[] {
  return items.slice(page * size, (page + 1) * size);
}

/** Epoch ms as the wire has them: whole. */
export function wireTime(time: number): number {
  return Number.isNaN(time) ? 0 : Math.floor(time);
}
