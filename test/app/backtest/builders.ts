import { type RowTables, RunRecorder } from '../../../src/app/backtest/recorders/run-recorder.ts';
import type { AccountEvent } from '../../../src/model/account-events.ts';
import { Decimal } from '../../../src/model/decimal.ts';
import { Fill } from '../../../src/model/fill.ts';
import type { Instrument } from '../../../src/model/instrument.ts';
import type { Wallet } from '../../../src/model/ledger.ts';
import { Ticker } from '../../../src/model/market-events.ts';
import type { LiquidationType, OrderRequest, OrderType } from '../../../src/model/order.ts';
import { applyAccount, applyMarket } from '../../../src/state/apply.ts';
import { State } from '../../../src/state/state.ts';
import { instrument, marginSettings, order, perpetual } from '../../builders.ts';
import { CollectedTables } from '../../support/collected-tables.ts';

export const SPOT = instrument({}, 0);
export const PERP = perpetual({}, 1);
/** Quoted in BTC: worth what BTC-USDT says. */
export const IN_BTC = perpetual({ symbol: 'ETH-BTC-PERP' }, 2);

/** An account with its recorder: what it is told reaches the state first, as in the engine. */
export class Told {
  readonly state: State;
  readonly recorder: RunRecorder;

  constructor(
    kind: 'spot' | 'futures' = 'futures',
    instruments: readonly Instrument[] = [SPOT, PERP, IN_BTC],
    tables: RowTables = new CollectedTables(),
  ) {
    const margin = new Map(instruments.filter(({ contract }) => contract).map(({ symbol }) => [symbol, marginSettings()]));
    this.state = new State(instruments, ['s', 't'], {
      kind,
      currency: 'USDT',
      equityEveryMs: 1_000,
      ...(kind === 'futures' && { margin }),
    });
    this.recorder = new RunRecorder(this.state, [tables]);
  }

  tell(event: AccountEvent): void {
    applyAccount(this.state, event);
    this.recorder.event(0, event);
  }

  price(of: Instrument, ticks: number, time = 0): void {
    applyMarket(this.state, new Ticker(of, time, 1, ticks));
  }

  deposit(wallet: Wallet, asset: string, total: string, frozen = '0'): void {
    const balance = { wallet, asset, total: new Decimal(total), frozen: new Decimal(frozen) };
    this.tell({ kind: 'balanceChanged', time: 0, balance, entry: { asset, amount: balance.total, reason: 'deposit', fillId: '' } });
  }

  /** An order that is submitted, accepted and filled whole at a price, for a fee in quote. */
  fill(
    id: string,
    parts: Partial<OrderRequest>,
    ticks: number,
    { fee = '0', type }: { fee?: string; type?: OrderType | LiquidationType | undefined } = {},
  ) {
    const request = order({ clientOrderId: id, instrument: PERP, ...parts });
    const { instrument: of, strategyId, side, positionSide, tag, steps = 1 } = request;
    this.tell({
      kind: 'orderSubmitted',
      time: 0,
      clientOrderId: id,
      request,
      type: type ?? request.type,
      stopTicks: undefined,
      again: false,
    });
    this.tell({ kind: 'orderAccepted', time: 0, clientOrderId: id, orderId: id, held: false });
    const value = of.notional(ticks, steps);
    const at = [ticks, steps, value, new Decimal(fee), of.quote, 'taker', tag, 0, 1, 2, 0] as const;
    const fill = new Fill(`f${id}`, id, id, strategyId, of, side, positionSide, ...at);
    this.tell({ kind: 'orderFilled', time: 0, clientOrderId: id, fill, complete: true });
    return fill;
  }

  fund(of: Instrument, positionSide: 'long' | 'short', amount: string): void {
    const charge = { time: 5, instrument: of, positionSide, steps: 2, rate: new Decimal('0.0001'), markPrice: new Decimal('100.25') };
    this.tell({ kind: 'fundingCharged', ...charge, amount: new Decimal(amount) });
  }
}
