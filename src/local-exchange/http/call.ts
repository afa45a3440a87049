import type { ExchangeAccount } from '../accounts/exchange-account.ts';
import type { ActionKind, ArgsOf, ResultOf } from '../core/actions.ts';
import type { Exchange } from '../core/exchange.ts';
import type { LimitSettings } from './limit-settings.ts';

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
