import type { AccountEvent, OrderFilled } from '../../src/model/account-events.ts';
import { Decimal, ZERO } from '../../src/model/decimal.ts';
import { Fill } from '../../src/model/fill.ts';
import { type ContractSpec, Instrument, type InstrumentSpec } from '../../src/model/instrument.ts';
import type { MarginSettings } from '../../src/model/margin.ts';
import { Mark, Ticker } from '../../src/model/market-events.ts';
import type { OrderRequest } from '../../src/model/order.ts';
import { applyAccount, applyMarket } from '../../src/state/apply.ts';
import type { PortfolioOptions } from '../../src/state/portfolio.ts';
import { State, type TrackedFigures } from '../../src/state/state.ts';

export const instrument = (index = 0, spec: Partial<InstrumentSpec> = {}) =>
  new Instrument(index, { symbol: 'BTC-USDT', tickSize: '1', stepSize: '1', ...spec });
export const BTC = instrument();
export const ETH = instrument(1, { symbol: 'ETH-USDT' });

export function state(
  kind: 'spot' | 'netting' = 'netting',
  instruments: readonly Instrument[] = [BTC, ETH],
  followed: TrackedFigures = {},
): State {
  return new State(instruments, ['s', 't'], { kind, currency: 'USDT', equityEveryMs: 1000 }, followed);
}

/** One tier of 1 %, a liquidation fee of 0.5 %, fees of 0.1 % and 0.05 % unless said otherwise. */
export const perpetual = (index = 0, spec: Partial<InstrumentSpec> = {}, contract: Partial<ContractSpec> = {}) =>
  new Instrument(index, {
    symbol: 'BTC-USDT-PERP',
    tickSize: '1',
    stepSize: '1',
    takerFee: '0.001',
    makerFee: '0.0005',
    contract: { value: '1', tiers: [{ maintenance: '0.01' }], liquidationFee: '0.005', triggerBy: 'last', ...contract },
    ...spec,
  });
export const PERP = perpetual();

export interface MarginOptions {
  readonly mode?: MarginSettings['mode'];
  readonly separated?: boolean;
  readonly leverage?: string;
  readonly shortLeverage?: string;
}

export function marginSettings({
  mode = 'shared',
  separated = false,
  leverage = '10',
  shortLeverage = leverage,
}: MarginOptions = {}): MarginSettings {
  return { mode, separated, longLeverage: new Decimal(leverage), shortLeverage: new Decimal(shortLeverage), autoAppend: false };
}

/** A futures account; every contract has these settings. */
export function futures(
  options: MarginOptions = {},
  instruments: readonly Instrument[] = [PERP],
  account: Partial<PortfolioOptions> = {},
  followed: TrackedFigures = {},
): State {
  const margin = new Map(instruments.map(({ symbol }) => [symbol, marginSettings(options)] as const));
  return new State(instruments, ['s', 't'], { kind: 'futures', currency: 'USDT', equityEveryMs: 1000, margin, ...account }, followed);
}

export function request(over: Partial<OrderRequest> = {}): OrderRequest {
  return {
    clientOrderId: 'c1',
    strategyId: 's',
    instrument: BTC,
    side: 'buy',
    positionSide: 'net',
    type: over.priceTicks === undefined ? 'market' : 'limit',
    timeInForce: 'GTC',
    postOnly: false,
    reduceOnly: false,
    priceTicks: undefined,
    triggerTicks: undefined,
    fromNextBar: false,
    steps: 10,
    quoteQuantity: undefined,
    tag: '',
    released: false,
    decidedSequence: 1,
    seenSequence: 1,
    ...over,
  };
}

let sequence = 0;
export function price(target: State, ticks: number, of = BTC, time = 0): void {
  applyMarket(target, new Ticker(of, time, ++sequence, ticks));
}

export function mark(target: State, price: string, of = PERP, time = 0): void {
  const decimals = price.split('.')[1]?.length ?? 0;
  applyMarket(target, new Mark(of, time, ++sequence, Math.round(Number(price) * 10 ** decimals), decimals));
}

export function balance(target: State, asset: string, total: string, time = 0, wallet = target.portfolio.mainWallet, frozen = '0'): void {
  const now = { wallet, asset, total: new Decimal(total), frozen: new Decimal(frozen) };
  applyAccount(target, { kind: 'balanceChanged', time, balance: now, entry: undefined });
}

export function submitted(over: Partial<OrderRequest> = {}, again = false): AccountEvent {
  const order = request(over);
  return {
    kind: 'orderSubmitted',
    time: 0,
    clientOrderId: order.clientOrderId,
    request: order,
    type: order.type,
    stopTicks: undefined,
    again,
  };
}

/** Opens an order in the state; with `held`, at the engine. */
export function open(target: State, over: Partial<OrderRequest> = {}, held = false): void {
  const { clientOrderId } = request(over);
  applyAccount(target, submitted(over));
  applyAccount(target, { kind: 'orderAccepted', time: 0, clientOrderId, orderId: held ? '' : '1', held });
}

export function filled(over: Partial<OrderRequest>, steps: number, ticks: number, complete = false, time = 0): OrderFilled {
  const { clientOrderId, strategyId, instrument: of, side, positionSide } = request(over);
  const notional = of.notional(ticks, steps);
  const fill = new Fill(
    'f',
    `o${clientOrderId}`,
    clientOrderId,
    strategyId,
    of,
    side,
    positionSide,
    ticks,
    steps,
    notional,
    ZERO,
    'USDT',
    'taker',
    '',
    time,
    1,
    1,
    0,
  );
  return { kind: 'orderFilled', time, clientOrderId, fill, complete };
}

let count = 0;
/** An order that opens (or closes) so many steps of a side, filled whole. */
export function trade(target: State, side: 'long' | 'short', steps: number, ticks: number, over: Partial<OrderRequest> = {}): void {
  const order = {
    instrument: PERP,
    clientOrderId: `n${++count}`,
    positionSide: side,
    side: (side === 'long') === steps > 0 ? 'buy' : 'sell',
    reduceOnly: steps < 0,
    ...over,
    steps: Math.abs(steps),
  } as const;
  open(target, order);
  applyAccount(target, filled(order, Math.abs(steps), ticks, true));
}
