import type { FundingCharged } from '../../model/account-events.ts';
import { Decimal, ZERO } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import { shareOf } from '../../model/margin.ts';
import type { PositionSide } from '../../model/order.ts';
import type { RecordedFill } from '../fill-columns.ts';
import { FillFold, rememberFills } from '../fill-fold.ts';
import { type RunRecord, worthOf } from '../run-record.ts';
import { groupTrades } from './grouped-trades.ts';
import { LotBuilder } from './lot-builder.ts';
import type { OpenTrade, PriceRange, RoundTrip, TradeRule, Trades } from './trade.ts';
import { TradeColumns, type TradeFigures } from './trade-columns.ts';
import { rememberTrades, TradeFold } from './trade-fold.ts';
import { feeInKind, type Leg, legOf, splitLeg, TradeSums } from './trade-sums.ts';

/** The position of one strategy in one symbol (on one side), and the trade that is open in it. Rules: see `tradesOf`. */
class TradeBuilder {
  readonly strategyId: string;
  readonly instrument: Instrument;
  readonly positionSide: PositionSide;
  readonly #onClosed: (trade: TradeFigures) => void;
  /** The quantity held, signed, in base. When flat, the rest of an earlier trade (less than one step). */
  #held: Decimal = ZERO;
  #open: TradeSums | undefined;

  constructor({ strategyId, instrument, positionSide }: RecordedFill, onClosed: (trade: TradeFigures) => void) {
    this.strategyId = strategyId;
    this.instrument = instrument;
    this.positionSide = positionSide;
    this.#onClosed = onClosed;
  }

  /** Whole steps held, never negative. */
  get heldSteps(): number {
    return this.instrument.step.floorUnits(this.#held.abs());
  }

  /** Prices of the symbol between the last fill and the next one, of any strategy. */
  see(range: PriceRange): void {
    this.#open?.see(range);
  }

  add(fill: RecordedFill, leg: Leg): void {
    const { quantity } = leg;
    this.see({ lowTicks: fill.priceTicks, highTicks: fill.priceTicks });
    const before = this.#held;
    this.#held = before.plus(fill.side === 'buy' ? quantity : quantity.neg()).minus(feeInKind(fill));
    if (this.#open === undefined || this.#open.entrySide === fill.side) {
      this.#enter(fill, leg);
      return;
    }

    const flat = this.#held.abs().lt(fill.instrument.step.toDecimal(1));
    const turned = !flat && this.#held.isNegative() !== before.isNegative();
    if (turned) {
      const [closing, opening] = splitLeg(fill, leg, Decimal.min(before.abs(), quantity));
      this.#exit(this.#open, fill, closing, before.abs(), true);
      this.#enter(fill, opening);
    } else {
      this.#exit(this.#open, fill, leg, before.abs(), flat);
    }
  }

  /** Funding on the position (negative: paid), in the run's currency. */
  fund(amount: Decimal): void {
    this.#open?.fund(amount);
  }

  openTrades(): OpenTrade[] {
    return this.#open === undefined ? [] : [this.#open.asOpen(this.#held.abs())];
  }

  #enter(fill: RecordedFill, leg: Leg): void {
    this.#open ??= new TradeSums(fill);
    this.#open.enter(leg, this.#held.abs());
  }

  /** @param closes whether nothing is left. */
  #exit(trade: TradeSums, fill: RecordedFill, leg: Leg, held: Decimal, closes: boolean): void {
    trade.exit(fill, leg, held, closes);
    if (!closes) return;
    this.#open = undefined;
    this.#onClosed(trade.asClosed());
  }
}

/**
 * Divides a funding charge among the trades that were open on its side, by the steps that each strategy held; the
 * last of them in the order of the config gets the rest, so that nothing is lost to rounding. (The state divides it among the strategies'
 * positions by the same rule.) A charge on a quantity that no strategy holds belongs to no trade.
 *
 * @param amount the account's gain (negative: paid), in the run's currency.
 */
function shareFunding(
  { instrument, positionSide }: FundingCharged,
  amount: Decimal,
  positions: Iterable<TradeBuilder | LotBuilder>,
  strategyIds: readonly string[],
): void {
  const holders = [...positions]
    .filter((position) => position.instrument === instrument && position.positionSide === positionSide && position.heldSteps > 0)
    .sort((a, b) => strategyIds.indexOf(a.strategyId) - strategyIds.indexOf(b.strategyId));
  const steps = holders.reduce((sum, { heldSteps }) => sum + heldSteps, 0);
  let rest = amount;
  holders.forEach((holder, index) => {
    const share = index === holders.length - 1 ? rest : shareOf(amount, holder.heldSteps, steps);
    rest = rest.minus(share);
    holder.fund(share);
  });
}

function builderOf(fill: RecordedFill, rule: TradeRule, onClosed: (trade: TradeFigures) => void): TradeBuilder | LotBuilder {
  return rule === 'flat' ? new TradeBuilder(fill, onClosed) : new LotBuilder(fill, rule, onClosed);
}

/**
 * Counts the trades that have closed so far, while the run goes on. No later fill takes one away. Legs of groups do not count: later legs
 * decide how many trades they are.
 */
export class ClosedTrades {
  count = 0;
  readonly #positions = new Map<Instrument, (TradeBuilder | LotBuilder)[]>();

  constructor(private readonly rule: TradeRule) {}

  add(fill: RecordedFill): void {
    positionOf(fill, this.rule, this.#positions, ({ group }) => {
      if (group === undefined) this.count++;
    }).add(fill, legOf(fill));
  }
}

/** The position that a fill changes, a new one if it is the first of its strategy, instrument and side. */
function positionOf(
  fill: RecordedFill,
  rule: TradeRule,
  positions: Map<Instrument, (TradeBuilder | LotBuilder)[]>,
  onClosed: (trade: TradeFigures) => void,
): TradeBuilder | LotBuilder {
  const ofInstrument = positions.get(fill.instrument) ?? [];
  positions.set(fill.instrument, ofInstrument);
  const known = ofInstrument.find((one) => one.strategyId === fill.strategyId && one.positionSide === fill.positionSide);
  const position = known ?? builderOf(fill, rule, onClosed);
  if (known === undefined) ofInstrument.push(position);
  return position;
}

type Needed = 'fills' | 'lastRanges' | 'rates' | 'futures' | 'tradeRule' | 'dayZone';

/**
 * The trades of a run per strategy, symbol and side, from its fills in order of time: by default from flat to flat.
 *
 * By the other rules a trade is what one exit fill closes of one entry fill: `fifo` the oldest entry first, `lifo` the newest, `tag` the
 * oldest with the `ref` of the exit, else with its tag, else the oldest. Its fees and funding are in proportion to its quantity, and the
 * last part of a fill gets the rest, so that by every rule the net profits of a run that ends flat have the same sum.
 *
 * - The first fill from flat is the entry and gives the side; fills on that side add, others exit.
 * - An exit that goes through zero is split in two at zero: its notional by quantity, its fee in the same
 *   proportion (the second part gets what is left, so no digit is lost).
 * - On spot, a fee taken in the base asset reduces the holding.
 * - A position is flat when an exit leaves less than one step. The rest moves into the next trade at no cost: its value is part of no
 *   trade's profit until it is sold.
 * - Where an account has a long and a short side, each is its own position.
 * - Funding belongs to the trades that were open on its side when it was charged (`shareFunding`).
 * - Where quote is not the run's currency, profit counts at the rate of its exit, fees and funding at their own.
 * - Trades whose first entry has one group are one trade, from the first entry of a leg until all legs are flat: see `groupTrades`.
 * - MAE and MFE use the prices between the trade's fills, and those of the fills.
 *
 * Fills and trades are added up on the way: the folds of the two (`fillFoldOf`, `tradeFoldOf`) are then known.
 *
 * @param onClosed receives each trade when it closes; legs of groups by themselves.
 */
export function tradesOf(
  { fills, lastRanges, rates, futures, tradeRule = 'flat', dayZone }: Pick<RunRecord, Needed>,
  onClosed?: (trade: RoundTrip) => void,
): Trades {
  const closed = new TradeColumns();
  const fillFold = new FillFold(dayZone);
  const tradeFold = new TradeFold(dayZone);
  const close = (figures: TradeFigures) => {
    closed.add(figures);
    const trade = closed.at(-1)!;
    tradeFold.add(trade);
    onClosed?.(trade);
  };
  const positions = new Set<TradeBuilder | LotBuilder>();
  const byInstrument = new Map<Instrument, (TradeBuilder | LotBuilder)[]>();
  const { funding = [], strategyIds = [] } = futures ?? {};
  let charges = 0;
  const chargeUpTo = (fillsBefore: number) => {
    for (; charges < funding.length && funding[charges]!.fillsBefore <= fillsBefore; charges++) {
      const { charged } = funding[charges]!;
      shareFunding(charged, worthOf(charged.amount, rates.get(charged)), positions, strategyIds);
    }
  };
  let index = 0;
  for (const fill of fills) {
    chargeUpTo(index++);
    const { range } = fill;
    if (range !== undefined) for (const known of byInstrument.get(fill.instrument) ?? []) known.see(range);
    const position = positionOf(fill, tradeRule, byInstrument, close);
    positions.add(position);
    const leg = legOf(fill);
    fillFold.add(fill, leg.notional, leg.fee);
    position.add(fill, leg);
  }
  chargeUpTo(fills.length);
  rememberFills(fills, fillFold);
  rememberTrades(closed, tradeFold);
  for (const [instrument, range] of lastRanges) for (const position of byInstrument.get(instrument) ?? []) position.see(range);
  const open = [...positions].flatMap((position) => position.openTrades()).sort((a, b) => a.entryTime - b.entryTime);
  return closed.grouped || open.some(({ group }) => group !== undefined) ? groupTrades({ closed, open }) : { closed, open };
}
