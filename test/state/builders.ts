import { Decimal, ZERO } from '../../src/model/decimal.ts';
import { Fill } from '../../src/model/fill.ts';
import { Instrument, type InstrumentSpec } from '../../src/model/instrument.ts';
import { Ticker } from '../../src/model/market-events.ts';
import type { OrderRequest } from '../../src/model/order.ts';
import type { AccountEvent, OrderFilled } from '../../src/model/order-events.ts';
import { applyAccount, applyMarket } from '../../src/state/apply.ts';
import { State } from '../../src/state/state.ts';

export const instrument = (index = 0, spec: Partial<InstrumentSpec> = {}) =>
  new Instrument(index, { symbol: 'BTC-USDT', tickSize: '1', stepSize: '1', ...spec });
export const BTC = instrument();
export const ETH = instrument(1, { symbol: 'ETH-USDT' });

export function state(kind: 'spot' | 'netting' = 'netting', instruments: readonly Instrument[] = [BTC, ETH]): State {
  return new State(instruments, ['s', 't'], { kind, currency: 'USDT', equityEveryMs: 1000 });
}

export function request(over: Partial<OrderRequest> = {}): OrderRequest {
  return {
    clientOrderId: 'c1',
    strategyId: 's',
    instrument: BTC,
    side: 'buy',
    type: over.priceTicks === undefined ? 'market' : 'limit',
    timeInForce: 'GTC',
    postOnly: false,
    reduceOnly: false,
    priceTicks: undefined,
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

export function balance(target: State, asset: string, total: string, time = 0): void {
  applyAccount(target, { kind: 'balanceChanged', time, balance: { asset, total: new Decimal(total), frozen: ZERO }, entry: undefined });
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
  const { clientOrderId, strategyId, instrument: of, side } = request(over);
  const notional = of.notional(ticks, steps);
  const fill = new Fill(
    'f',
    '1',
    clientOrderId,
    strategyId,
    of,
    side,
    'net',
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
