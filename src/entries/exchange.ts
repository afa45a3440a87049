/** The exchange from code: its client, and a local exchange for tests. The entry `tidegate/exchange`. */

export type {
  AccountKeys,
  ClientOptions,
  ExchangeAccount,
  ExchangeInstrument,
  ExchangePrices,
  ExchangeSettings,
  LocalExchange,
  StartOptions,
} from '../app/library/exchange-types.ts';
export { exchangeClient, startExchange } from '../app/library/local-exchange.ts';
export type { ExchangeClient } from '../exchange/client/exchange-client.ts';
export { ExchangeError } from '../exchange/errors.ts';
export type { OperationName } from '../exchange/operations/operation-table.ts';
export type { PayloadOf, RequestOf } from '../exchange/operations/operations.ts';
export { wireSymbol } from '../exchange/symbols.ts';
export type { Behaviour } from '../local-exchange/behaviour.ts';
export type { FaultKind, FaultRule, FaultSettings } from '../local-exchange/faults.ts';
export { type ErrorCode, TidegateError } from '../model/errors.ts';
