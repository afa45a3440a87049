import type { MatchingEngine } from '../../matching/matching-engine.ts';
import { Decimal } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { ApprovedOrder, OrderRequest, PositionSide, Side, TimeInForce } from '../../model/order.ts';
import type { Behaviour } from '../behaviour.ts';
import { Refusal } from '../refusal.ts';
import type { ExchangeAccount } from './exchange-account.ts';
import type { Listings } from './listings.ts';
import type { Market } from './market.ts';
import { checkLimits, checkOpening, type OrderNumbers, refusalOf, unitsOf, worstTicks } from './order-checks.ts';
import type { OrderEntry, Presets } from './order-store.ts';

/** An entry of operation 7's list, as text. */
export interface SpotOrder {
  readonly side: Side;
  readonly orderType: 'limit' | 'market';
  readonly force: 'normal' | 'postOnly' | 'fok' | 'ioc';
  readonly price?: string | undefined;
  readonly quantity: string;
  readonly clientOrderId: string;
}

/** Operation 13's order, as text. */
export interface TriggerOrder {
  /** Empty: the exchange assigns one. */
  readonly clientOid: string;
  readonly size: string;
  /** 1 open long, 2 open short, 3 close long, 4 close short. */
  readonly type: '1' | '2' | '3' | '4';
  /** Absent: market. */
  readonly price: string | undefined;
  readonly triggerPrice: string;
}

/** A plain futures order of the operations beyond the twenty, as text. */
export interface FuturesOrder extends Omit<TriggerOrder, 'triggerPrice'> {
  readonly terms: 'normal' | 'postOnly' | 'fok' | 'ioc';
  readonly presets?: Presets | undefined;
}

/** A take profit or stop loss of a position, as text. */
export interface TpSlOrder {
  /** Empty: the exchange assigns one. */
  readonly clientOid: string;
  readonly kind: 'takeProfit' | 'stopLoss';
  readonly positionSide: 'long' | 'short';
  readonly size: string;
  readonly triggerPrice: string;
  /** Absent: market. */
  readonly price?: string | undefined;
}

interface DeskOptions {
  readonly matching: MatchingEngine;
  readonly market: Market;
  readonly listings: Listings;
  readonly behaviour: Behaviour;
}

const TIME_IN_FORCE = { normal: 'GTC', postOnly: 'GTC', fok: 'FOK', ioc: 'IOC' } as const satisfies Record<string, TimeInForce>;
const SIDES: Readonly<Record<TriggerOrder['type'], readonly [Side, PositionSide]>> = {
  '1': ['buy', 'long'],
  '2': ['sell', 'short'],
  '3': ['sell', 'long'],
  '4': ['buy', 'short'],
};

/** Accepts orders from the wire: checks the listing's limits, then submits them to the simulator. */
export class TradingDesk {
  #keys = 0;

  constructor(private readonly options: DeskOptions) {}

  /** @throws Refusal for an order that is refused. */
  placeSpot(account: ExchangeAccount, instrument: Instrument, order: SpotOrder, time: number): OrderEntry {
    const isMarket = order.orderType === 'market';
    const byQuote = isMarket && order.side === 'buy' && this.options.behaviour.marketBuyByQuote;
    const twin = account.orders.taken('spot', order.clientOrderId, time);
    if (twin !== undefined && this.options.behaviour.repeatedId === 'answered') return twin;
    this.#mayTrade(account, instrument, order.clientOrderId, time);
    const grid = this.options.listings.gridOf(instrument);
    const numbers: OrderNumbers = {
      side: order.side,
      steps: byQuote ? undefined : unitsOf(instrument, grid, 'size', order.quantity),
      quote: byQuote ? new Decimal(order.quantity) : undefined,
      priceTicks: isMarket ? undefined : unitsOf(instrument, grid, 'price', order.price ?? ''),
    };
    const worst = this.#check(instrument, numbers);
    return this.#submit(account, order.clientOrderId, time, {
      ...PLAIN,
      instrument,
      side: order.side,
      positionSide: 'net',
      type: order.orderType,
      timeInForce: !isMarket ? TIME_IN_FORCE[order.force] : worst === undefined ? 'GTC' : 'IOC',
      postOnly: !isMarket && order.force === 'postOnly',
      reduceOnly: false,
      priceTicks: numbers.priceTicks,
      worstTicks: worst,
      triggerTicks: undefined,
      steps: numbers.steps,
      quoteQuantity: numbers.quote,
    });
  }

  /** @throws Refusal for an order that is refused. */
  placeTrigger(account: ExchangeAccount, instrument: Instrument, order: TriggerOrder, time: number): OrderEntry {
    const clientOid = order.clientOid === '' ? this.#clientOid(account, time) : order.clientOid;
    this.#mayTrade(account, instrument, clientOid, time);
    const [side, positionSide] = SIDES[order.type];
    const grid = this.options.listings.gridOf(instrument);
    const steps = unitsOf(instrument, grid, 'size', order.size);
    const priceTicks = order.price === undefined ? undefined : unitsOf(instrument, grid, 'price', order.price);
    const triggerTicks = unitsOf(instrument, grid, 'price', order.triggerPrice);
    // Price ratios relate to the last price, and a trigger is usually away from it.
    const numbers = { side, steps, quote: undefined, priceTicks: priceTicks ?? triggerTicks };
    checkLimits(instrument, { rules: {}, grid }, numbers, Number.NaN);
    return this.#submit(account, clientOid, time, {
      ...PLAIN,
      instrument,
      side,
      positionSide,
      type: priceTicks === undefined ? 'market' : 'limit',
      timeInForce: 'GTC',
      postOnly: false,
      reduceOnly: order.type === '3' || order.type === '4',
      priceTicks,
      triggerTicks,
      steps,
      quoteQuantity: undefined,
    });
  }

  /** @throws Refusal for an order that is refused. */
  placeFutures(account: ExchangeAccount, instrument: Instrument, order: FuturesOrder, time: number): OrderEntry {
    const { clientOid, size, type, price, terms, presets = {} } = order;
    const clientOrderId = clientOid === '' ? this.#clientOid(account, time) : clientOid;
    this.#mayTrade(account, instrument, clientOrderId, time);
    const grid = this.options.listings.gridOf(instrument);
    const [side, positionSide] = SIDES[type];
    const closing = type === '3' || type === '4';
    const priceTicks = price === undefined ? undefined : unitsOf(instrument, grid, 'price', price);
    const numbers: OrderNumbers = { side, steps: unitsOf(instrument, grid, 'size', size), quote: undefined, priceTicks };
    const worst = this.#check(instrument, numbers);
    if (!closing) {
      const sides = account.futures.positionRecords().filter((one) => one.instrument === instrument && one.positionSide === positionSide);
      const held = sides.reduce((sum, { steps }) => sum + steps, 0);
      checkOpening(instrument, this.options.listings.rulesOf(instrument), numbers, held);
    }
    this.#checkPresets(instrument, side, closing, priceTicks, presets);
    return this.#submit(
      account,
      clientOrderId,
      time,
      {
        ...PLAIN,
        instrument,
        side,
        positionSide,
        type: priceTicks === undefined ? 'market' : 'limit',
        timeInForce: priceTicks !== undefined ? TIME_IN_FORCE[terms] : worst === undefined ? 'GTC' : 'IOC',
        postOnly: priceTicks !== undefined && terms === 'postOnly',
        reduceOnly: closing,
        priceTicks,
        worstTicks: worst,
        triggerTicks: undefined,
        steps: numbers.steps,
        quoteQuantity: undefined,
      },
      presets,
    );
  }

  /** @throws Refusal for an order that is refused: also for a trigger price on the wrong side of the price. */
  placeTpSl(account: ExchangeAccount, instrument: Instrument, order: TpSlOrder, time: number): OrderEntry {
    const { clientOid, kind, positionSide, size, triggerPrice, price } = order;
    const { lastTicks, known } = this.options.market.view(instrument);
    if (!known) throw refusalOf({ code: 'noMarketPrice', symbol: instrument.symbol });
    const grid = this.options.listings.gridOf(instrument);
    const above = (kind === 'takeProfit') === (positionSide === 'long');
    const ticks = unitsOf(instrument, grid, 'price', triggerPrice);
    if (above ? ticks <= lastTicks : ticks >= lastTicks) {
      const last = instrument.tick.toText(lastTicks);
      throw new Refusal('40015', `INVALID_ARGUMENT: trigger ${triggerPrice} is not ${above ? 'above' : 'below'} the last price ${last}`);
    }
    return this.placeTrigger(
      account,
      instrument,
      { clientOid, size, type: positionSide === 'long' ? '3' : '4', price, triggerPrice },
      time,
    );
  }

  /** Places the exits that ended orders brought with them, each for what its order filled. A refused one is left out. */
  placePresets(account: ExchangeAccount, time: number): void {
    for (const { instrument, request, presets, fills } of account.orders.withPresets.splice(0)) {
      const size = instrument.step.toText(fills.reduce((sum, { fill }) => sum + fill.steps, 0));
      const type = request.positionSide === 'long' ? '3' : '4';
      for (const triggerPrice of [presets.takeProfit, presets.stopLoss]) {
        if (triggerPrice === undefined) continue;
        try {
          this.placeTrigger(account, instrument, { clientOid: '', size, type, price: undefined, triggerPrice }, time);
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
        }
      }
    }
  }

  /** Moves a trigger that waits. @throws Refusal 43004 for one that has fired or is over, and as for a new trigger. */
  moveTrigger(account: ExchangeAccount, key: string, triggerPrice: string, price: string | undefined, time: number): void {
    const entry = account.orders.withKey(key);
    if (!entry.live || entry.triggered !== undefined) throw new Refusal('43004', 'the trigger order has fired or is over');
    const { instrument, request } = entry;
    const grid = this.options.listings.gridOf(instrument);
    const triggerTicks = unitsOf(instrument, grid, 'price', triggerPrice);
    const priceTicks = price === undefined ? undefined : unitsOf(instrument, grid, 'price', price);
    const { side, steps } = request;
    checkLimits(instrument, { rules: {}, grid }, { side, steps, quote: undefined, priceTicks: priceTicks ?? triggerTicks }, Number.NaN);
    entry.request = { ...request, triggerTicks, priceTicks, type: priceTicks === undefined ? 'market' : 'limit' };
    this.options.matching.moveTrigger(account.trading, key, triggerTicks, priceTicks, time);
  }

  /** Cancels an open order. */
  cancel(account: ExchangeAccount, key: string, time: number): void {
    this.options.matching.cancel(account.trading, key, time);
  }

  /** An id for a futures order without one: one that its owner does not use. */
  #clientOid(account: ExchangeAccount, time: number): string {
    let count = this.#keys + 1;
    while (account.orders.taken('futures', `auto_${count}`, time) !== undefined) count++;
    return `auto_${count}`;
  }

  #mayTrade(account: ExchangeAccount, instrument: Instrument, clientOrderId: string, time: number): void {
    if (this.options.listings.rulesOf(instrument).enableTrade === false)
      throw new Refusal('50003', `trading in ${instrument.symbol} is off`);
    if (account.orders.taken(instrument.kind, clientOrderId, time) !== undefined)
      throw refusalOf({ code: 'duplicateClientOrderId', clientOrderId });
  }

  /** @throws Refusal if a preset exit is on the wrong side of the order's price, or comes with an order that closes. */
  #checkPresets(instrument: Instrument, side: Side, closing: boolean, priceTicks: number | undefined, presets: Presets): void {
    const given = [
      ['take profit', presets.takeProfit, side === 'buy'],
      ['stop loss', presets.stopLoss, side === 'sell'],
    ] as const;
    const grid = this.options.listings.gridOf(instrument);
    const from = priceTicks ?? this.options.market.view(instrument).lastTicks;
    for (const [name, price, above] of given) {
      if (price === undefined) continue;
      if (closing) throw new Refusal('40015', `INVALID_ARGUMENT: a closing order has no preset ${name}`);
      const ticks = unitsOf(instrument, grid, 'price', price);
      if (above ? ticks <= from : ticks >= from) {
        throw new Refusal(
          '40015',
          `INVALID_ARGUMENT: ${name} ${price} is not ${above ? 'above' : 'below'} ${instrument.tick.toText(from)}`,
        );
      }
    }
  }

  /** @returns the worst price at which a market order of these numbers may fill; `undefined` if there is no limit. */
  #check(instrument: Instrument, numbers: OrderNumbers): number | undefined {
    const { listings } = this.options;
    const rules = listings.rulesOf(instrument);
    const { lastTicks, known } = this.options.market.view(instrument);
    checkLimits(instrument, { rules, grid: listings.gridOf(instrument) }, numbers, lastTicks);
    if (numbers.priceTicks !== undefined) return undefined;
    if (!known) throw refusalOf({ code: 'noMarketPrice', symbol: instrument.symbol });
    const { marketFallbackPriceRatio: ratio } = rules;
    return ratio === undefined ? undefined : worstTicks(instrument, numbers.side, lastTicks, ratio);
  }

  #submit(
    account: ExchangeAccount,
    clientOrderId: string,
    time: number,
    request: Omit<OrderRequest, 'clientOrderId'>,
    presets?: Presets,
  ): OrderEntry {
    const key = `k${++this.#keys}`;
    const full: OrderRequest = { ...request, clientOrderId: key };
    const entry = account.orders.open(key, clientOrderId, full, time, presets);
    // The risk gate is on the caller's side: an order from the wire has passed it.
    this.options.matching.submit(account.trading, full as ApprovedOrder, time);
    if (this.options.matching.marginDue) this.options.matching.liquidate(time);
    const reason = account.orders.refusal(key);
    if (reason !== undefined) throw refusalOf(reason);
    const isTaking = full.postOnly && entry.end?.how === 'canceled' && entry.fills.length === 0;
    if (isTaking && this.options.behaviour.postOnlyTaking === 'refused') {
      account.orders.forget(entry);
      throw new Refusal('40015', 'INVALID_ARGUMENT: the post-only order would take');
    }
    return entry;
  }
}

/** Fields that only a run's own orders have. */
const PLAIN = { strategyId: '', fromNextBar: false, tag: '', released: false, decidedSequence: 0, seenSequence: 0 } as const;
