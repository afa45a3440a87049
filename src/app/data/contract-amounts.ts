import { Decimal } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';

/** Converts an amount of ccxt to the base asset; blanks stay blank. */
type ToBase = (amount: string) => string;

/** Exchanges of which ccxt has the volume of the bars of perpetuals in the base asset. */
const BASE_VOLUMES = ['binance', 'binanceusdm', 'binancecoinm', 'bitget', 'bybit', 'htx', 'huobi', 'okx', 'myokx', 'okxus'];
/** Exchanges of which ccxt has it in contracts. */
const CONTRACT_VOLUMES = ['gate', 'gateio', 'kucoin', 'kucoinfutures', 'mexc', 'poloniex', 'xt'];

/** The part of a market of ccxt that is used here. */
interface ContractMarket {
  /** ccxt's name. */
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  readonly contract?: boolean | undefined;
  readonly contractSize?: number | undefined;
  readonly linear?: boolean | undefined;
}

const unchanged: ToBase = (amount) => amount;

/**
 * Conversion of the amounts of trades, which ccxt has in contracts.
 * @throws TidegateError USAGE for contracts of an amount of quote, whose quantity in base is not exact.
 */
export function tradeAmounts({ symbol, contract, contractSize, linear, quote }: ContractMarket): ToBase {
  if (contract !== true) return unchanged;
  if (linear === false)
    throw new TidegateError('USAGE', `${symbol}: one contract is ${contractSize} ${quote}, so its trades have no exact quantity in base`);
  return timesSize(contractSize);
}

/** Conversion of the volume of bars, which ccxt has in contracts or in the base asset, and a note where it is unknown which. */
export function barVolumes(exchange: string, market: ContractMarket): { readonly toBase: ToBase; readonly note?: string } {
  const { symbol, contract, contractSize, linear, base, quote } = market;
  const isBase = contract !== true || BASE_VOLUMES.includes(exchange) || (linear !== false && Number(contractSize ?? 1) === 1);
  if (isBase) return { toBase: unchanged };
  if (linear !== false && CONTRACT_VOLUMES.includes(exchange)) return { toBase: timesSize(contractSize) };
  const unit = linear === false ? quote : base;
  return { toBase: unchanged, note: `warning: volumes of ${symbol} may be in contracts of ${contractSize} ${unit}: ccxt does not say` };
}

function timesSize(contractSize: number | undefined): ToBase {
  const size = new Decimal(String(contractSize ?? 1));
  return (amount) => (amount === '' ? '' : size.times(amount).toFixed());
}
