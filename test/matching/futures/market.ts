import type { SimulatedAccount } from '../../../src/matching/accounts/simulated-account.ts';
import { FuturesAccount } from '../../../src/matching/futures/futures-account.ts';
import type { OrderRecord } from '../../../src/matching/futures/records.ts';
import { MatchingEngine } from '../../../src/matching/matching-engine.ts';
import type { FillSettings } from '../../../src/matching/settings.ts';
import type { VenueEvent } from '../../../src/model/account-events.ts';
import { Decimal } from '../../../src/model/decimal.ts';
import type { Instrument } from '../../../src/model/instrument.ts';
import type { MarginSettings } from '../../../src/model/margin.ts';
import { Bar, Funding, Mark, Quote, Ticker, Trade } from '../../../src/model/market-events.ts';
import type { OrderRequest } from '../../../src/model/order.ts';
import { fillSettings, marginSettings, order, perpetual } from '../../builders.ts';

export type MarginOptions = Partial<Omit<MarginSettings, 'longLeverage' | 'shortLeverage'>> & { leverage?: string; shortLeverage?: string };

export interface MarketOptions {
  readonly instruments?: readonly Instrument[];
  readonly margin?: MarginOptions;
  readonly deposit?: string;
  readonly onBars?: boolean;
  readonly fills?: Partial<FillSettings>;
  readonly liquidation?: boolean;
  readonly insuranceFund?: ReadonlyMap<string, Decimal>;
  readonly markMaxAgeMs?: number;
  /** Called where a bar's path pauses for the engine. */
  readonly pause?: (market: Market, ticks: number) => void;
}

/** A perpetual of one coin with ticks of 1, taker's fee 0.1 %, maker's 0.05 %, maintenance 1 %, liquidation fee 0.5 %. */
export const PERP = perpetual({ takerFee: '0.001', makerFee: '0.0005', contract: { liquidationFee: '0.005' } });

/** One futures account at a simulated exchange; time and sequence grow by one with each datum. */
export class Market {
  readonly account: SimulatedAccount;
  readonly futures: FuturesAccount;
  readonly matching: MatchingEngine;
  readonly events: VenueEvent[] = [];
  readonly ended: OrderRecord[] = [];
  time = 0;
  readonly #instrument: Instrument;
  #bar = Number.NaN;

  constructor({ instruments = [PERP], margin = {}, deposit = '1000', onBars = false, fills, pause, ...rest }: MarketOptions = {}) {
    const { leverage = '10', shortLeverage = leverage, ...modes } = margin;
    const settings = marginSettings({ longLeverage: new Decimal(leverage), shortLeverage: new Decimal(shortLeverage), ...modes });
    this.#instrument = instruments[0]!;
    this.futures = new FuturesAccount(
      (event) => this.events.push(event),
      () => settings,
    );
    this.account = this.futures;
    this.matching = new MatchingEngine({
      instruments,
      onBars,
      settings: fillSettings(fills),
      held: {
        opens: () => false,
        any: () => false,
        next: () => undefined,
        follow: () => false,
        passedAsleep: () => false,
        moves: () => false,
        exits: () => [],
        trails: () => false,
        hasEntry: () => false,
      },
      pause: (_instrument, _time, _sequence, ticks) => pause?.(this, ticks),
      orderEnded: (_account, record) => this.ended.push(record),
      ...rest,
    });
    this.matching.addAccount(this.account);
    this.account.deposit(0, 'futures', 'USDT', new Decimal(deposit));
    this.events.length = 0;
  }

  /** The last price; liquidation follows, as the timeline has it. */
  price(ticks: number, instrument = this.#instrument): this {
    this.matching.onTicker(new Ticker(instrument, ++this.time, this.time, ticks));
    return this.settle();
  }

  quote(bid: number, ask: number): this {
    this.matching.onQuote(new Quote(this.#instrument, ++this.time, this.time, bid, ask, 1000, 1000));
    return this.settle();
  }

  trade(ticks: number, steps = 1000): this {
    this.matching.onTrade(new Trade(this.#instrument, ++this.time, this.time, ticks, steps, undefined));
    return this.settle();
  }

  /** A mark of `units / 10^decimals`. */
  mark(units: number, decimals = 0, instrument = this.#instrument): this {
    this.matching.onMark(new Mark(instrument, ++this.time, this.time, units, decimals));
    return this.settle();
  }

  funding(rate: string, instrument = this.#instrument): this {
    this.matching.onFunding(new Funding(instrument, ++this.time, this.time, new Decimal(rate)));
    return this.settle();
  }

  /** The open and then the path of a bar of a minute. */
  openBar(open: number): this {
    this.#bar = open;
    this.time += 60_000;
    this.matching.openBar(this.#instrument, this.time, this.time, open, 1e6);
    return this.settle();
  }

  closeBar(high: number, low: number, close: number): this {
    this.time += 60_000;
    this.matching.closeBar(new Bar(this.#instrument, this.time, this.time, 60_000, this.#bar, high, low, close, 1e6));
    return this.settle();
  }

  settle(): this {
    if (this.matching.marginDue) this.matching.liquidate(this.time);
    return this;
  }

  open(positionSide: 'long' | 'short', steps: number, request: Partial<OrderRequest> = {}): this {
    return this.#send({
      side: positionSide === 'long' ? 'buy' : 'sell',
      positionSide,
      steps,
      clientOrderId: `open ${positionSide}`,
      ...request,
    });
  }

  close(positionSide: 'long' | 'short', steps: number, request: Partial<OrderRequest> = {}): this {
    const side = positionSide === 'long' ? 'sell' : 'buy';
    return this.#send({ side, positionSide, steps, reduceOnly: true, clientOrderId: `close ${positionSide}`, ...request });
  }

  cancel(clientOrderId: string): this {
    this.matching.cancel(this.account, clientOrderId, this.time);
    return this;
  }

  /** Total and frozen collateral. */
  balance(): string {
    const { total, frozen } = this.futures.ledger.balance('USDT');
    return `${total.toFixed()} / ${frozen.toFixed()}`;
  }

  free(): string {
    return this.futures.margin('USDT').free.toFixed();
  }

  held(positionSide: 'long' | 'short', instrument = this.#instrument): number {
    return this.futures.heldSteps(instrument, positionSide);
  }

  /** Everything told since the last call but balances, each as one line. */
  told(): string[] {
    return this.events.splice(0).flatMap((event) => lineOf(event) ?? []);
  }

  #send(request: Partial<OrderRequest>): this {
    this.matching.submit(this.account, order({ instrument: this.#instrument, ...request }), this.time);
    return this.settle();
  }
}

function lineOf(event: VenueEvent): string | undefined {
  switch (event.kind) {
    case 'orderFilled': {
      const { side, steps, priceTicks, liquidity, fee } = event.fill;
      return `${event.clientOrderId}: ${side} ${steps}@${priceTicks} ${liquidity} fee ${fee.toFixed()}`;
    }
    case 'orderTriggered':
      return `${event.clientOrderId}: triggered ${event.priceTicks}`;
    case 'orderRejected':
      return `${event.clientOrderId}: rejected ${Object.values(event.reason).join(' ')}`;
    case 'orderCanceled':
    case 'orderExpired':
      return `${event.clientOrderId}: ${event.reason}`;
    case 'positionLiquidated': {
      const { positionSide, steps, priceTicks, fee, instrument } = event.fill;
      return `${event.type} ${instrument.base} ${positionSide} ${steps}@${priceTicks} fee ${fee.toFixed()}`;
    }
    case 'fundingCharged':
      return `funding ${event.positionSide} ${event.steps} at ${event.markPrice.toFixed()}: ${event.amount.toFixed()}`;
    case 'marginChanged':
      return `margin ${event.positionSide} ${event.margin.toFixed()}`;
    default:
      return undefined;
  }
}
