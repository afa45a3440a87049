import { Decimal, ZERO } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import { MONEY_PLACES } from '../../model/margin.ts';
import type { PositionSide } from '../../model/order.ts';
import type { RecordedFill } from '../fill-columns.ts';
import type { OpenTrade, PriceRange, TradeRule } from './trade.ts';
import type { TradeFigures } from './trade-columns.ts';
import { feeInKind, type Leg, splitLeg, TradeSums } from './trade-sums.ts';

/** One entry fill, or what exits have left of it. */
interface Lot {
  readonly fill: RecordedFill;
  /** The leg of the part that is open. */
  leg: Leg;
  /** Held of it, in base: after a fee taken in base. */
  held: Decimal;
  funding: Decimal;
  /** Lowest and highest price since the entry. An older lot has seen all that a newer one has. */
  lowTicks: number;
  highTicks: number;
}

/**
 * The position of one strategy in one symbol (on one side) as its entries. Each exit closes entries by a rule, and each part of an entry
 * that it closes is a trade. Rules: see `tradesOf`.
 */
export class LotBuilder {
  readonly strategyId: string;
  readonly instrument: Instrument;
  readonly positionSide: PositionSide;
  /** In order of entry. */
  #lots: Lot[] = [];
  /** The quantity held, signed, in base, with the rests of earlier lots (less than one step). */
  #held: Decimal = ZERO;

  constructor(
    { strategyId, instrument, positionSide }: RecordedFill,
    private readonly rule: Exclude<TradeRule, 'flat'>,
    private readonly onClosed: (trade: TradeFigures) => void,
  ) {
    this.strategyId = strategyId;
    this.instrument = instrument;
    this.positionSide = positionSide;
  }

  /** Whole steps held, never negative. */
  get heldSteps(): number {
    return this.instrument.step.floorUnits(this.#held.abs());
  }

  /** Prices of the symbol between the last fill and the next one, of any strategy. */
  see({ lowTicks, highTicks }: PriceRange): void {
    for (let index = this.#lots.length - 1; index >= 0; index--) {
      const lot = this.#lots[index]!;
      if (lot.lowTicks <= lowTicks && lot.highTicks >= highTicks) return;
      lot.lowTicks = Math.min(lot.lowTicks, lowTicks);
      lot.highTicks = Math.max(lot.highTicks, highTicks);
    }
  }

  add(fill: RecordedFill, leg: Leg): void {
    this.see({ lowTicks: fill.priceTicks, highTicks: fill.priceTicks });
    const before = this.#held;
    const inKind = feeInKind(fill);
    this.#held = before.plus(fill.side === 'buy' ? leg.quantity : leg.quantity.neg()).minus(inKind);
    const [first] = this.#lots;
    if (first === undefined || first.fill.side === fill.side) {
      this.#enter(fill, leg, leg.quantity.minus(inKind));
      return;
    }
    const flat = this.#held.abs().lt(fill.instrument.step.toDecimal(1));
    const turned = !flat && this.#held.isNegative() !== before.isNegative();
    if (!turned) {
      this.#exit(fill, leg, flat);
      return;
    }
    const [closing, opening] = splitLeg(fill, leg, Decimal.min(before.abs(), leg.quantity), MONEY_PLACES);
    this.#exit(fill, closing, true);
    this.#enter(fill, opening, this.#held.abs());
  }

  /** Funding on the position (negative: paid), in the run's currency, by the quantities of the lots. */
  fund(amount: Decimal): void {
    let rest = amount;
    let quantity = this.#lots.reduce((sum, { held }) => sum.plus(held), ZERO);
    for (const lot of this.#lots) {
      const share = lot.held.eq(quantity) ? rest : partOf(rest, lot.held, quantity);
      lot.funding = lot.funding.plus(share);
      rest = rest.minus(share);
      quantity = quantity.minus(lot.held);
    }
  }

  openTrades(): OpenTrade[] {
    return this.#lots.map((lot) => this.#begun(lot, lot.leg, lot.held, lot.funding).asOpen(lot.held));
  }

  #enter(fill: RecordedFill, leg: Leg, held: Decimal): void {
    this.#lots.push({ fill, leg, held, funding: ZERO, lowTicks: fill.priceTicks, highTicks: fill.priceTicks });
  }

  /** @param flat nothing is left: the last trade gets what rounding and fees in base have left of its lots. */
  #exit(fill: RecordedFill, leg: Leg, flat: boolean): void {
    let left = leg;
    while (this.#lots.length > 0 && !left.quantity.isZero()) {
      const lot = this.#chosen(fill);
      const last = this.#lots.length === 1;
      const whole = left.quantity.gte(lot.held) || (flat && last);
      const quantity = last ? left.quantity : Decimal.min(lot.held, left.quantity);
      const [part, rest] = quantity.eq(left.quantity) ? [left, undefined] : splitLeg(fill, left, quantity, MONEY_PLACES);
      if (whole) this.#lots.splice(this.#lots.indexOf(lot), 1);
      const [entry, held, funding] = whole ? [lot.leg, lot.held, lot.funding] : take(lot, quantity);
      const trade = this.#begun(lot, entry, held, funding);
      if (flat && rest === undefined) for (const { leg: remainder } of this.#lots.splice(0)) trade.enter(remainder, held);
      trade.exit(fill, part, held, true);
      this.onClosed(trade.asClosed());
      if (rest === undefined) return;
      left = rest;
    }
  }

  #chosen({ ref, tag }: RecordedFill): Lot {
    const [oldest] = this.#lots;
    if (this.rule === 'lifo') return this.#lots.at(-1)!;
    if (this.rule === 'fifo') return oldest!;
    const named = ref === '' ? undefined : this.#lots.find((lot) => lot.fill.ref === ref);
    return named ?? this.#lots.find((lot) => lot.fill.tag === tag) ?? oldest!;
  }

  #begun({ fill, lowTicks, highTicks }: Lot, entry: Leg, held: Decimal, funding: Decimal): TradeSums {
    const trade = new TradeSums(fill);
    trade.enter(entry, held);
    trade.see({ lowTicks, highTicks });
    trade.fund(funding);
    return trade;
  }
}

/** Takes so much from a lot. What is left of it keeps the rest of its amounts, so that no digit is lost. */
function take(lot: Lot, quantity: Decimal): [entry: Leg, held: Decimal, funding: Decimal] {
  const { leg, held, funding } = lot;
  const gross = quantity.eq(held) ? leg.quantity : roundedPart(leg.quantity, quantity, held);
  const [entry, rest] = splitLeg(lot.fill, leg, gross, MONEY_PLACES);
  const share = partOf(funding, quantity, held);
  lot.leg = rest;
  lot.held = held.minus(quantity);
  lot.funding = funding.minus(share);
  return [entry, quantity, share];
}

function partOf(amount: Decimal, part: Decimal, whole: Decimal): Decimal {
  return amount.isZero() ? ZERO : roundedPart(amount, part, whole);
}

function roundedPart(amount: Decimal, part: Decimal, whole: Decimal): Decimal {
  return amount.times(part).div(whole).toDecimalPlaces(MONEY_PLACES, Decimal.ROUND_HALF_EVEN);
}
