// Long because money and positions of contracts are explained, compared and kept together.
import { Decimal, ZERO } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import { initialMargin, type MarginSettings } from '../../model/margin.ts';
import { closes } from '../../model/order.ts';
import { type Evidence, type Money, type MoneyRound, patienceMs } from './money.ts';
import type { TrackedOrder } from './order-record.ts';
import { chargedSide, type Differing, keyOf, type PositionSide, SIDES, stepsIn, valueIn } from './pictures.ts';
import { type Asking, ask, type SeenBill, type SeenFill, type SeenPicture } from './records.ts';
import type { Difference, ReconcileSettings, Resumed, VenueContext } from './settings.ts';
import { Wallet } from './wallet.ts';

interface FuturesMoneyParts {
  readonly settings: ReconcileSettings;
  readonly context: VenueContext;
  readonly instruments: readonly Instrument[];
  /** Epoch ms on the exchange's clock, as estimated. */
  readonly exchangeTime: () => number;
  /** The config's leverages of an instrument; `undefined` if it has none. */
  readonly marginOf: (instrument: Instrument) => Pick<MarginSettings, 'longLeverage' | 'shortLeverage'> | undefined;
}

/** Key in the venue's memory. */
const MEMORY = 'futures.money';
/** Bills may appear late by minutes: so far back they are read once they have not explained a difference. */
const LATE_MS = 600_000;
/** A bill that is at most so much newer than the very first picture may be in it: clocks differ, and are set. */
const BASE_MS = 60_000;
/** How many ids of bills, and of fills of others, are kept. */
const KEPT = 1_000;

interface Kept {
  readonly held: readonly (readonly [side: string, steps: number])[];
  readonly margins: readonly (readonly [side: string, margin: string])[];
  readonly bills: readonly (readonly [id: string, amount: string])[];
  readonly billsFrom: number;
  /** Epoch ms on the exchange's clock of the very first picture, which has all earlier bills. */
  readonly basedAt: number;
  /** Ids of fills that belong to no order of ours. */
  readonly fills: readonly string[];
  /** Money that no record explains, as text. */
  readonly unexplained: string | undefined;
}

/** A difference between the exchange's figures of a coin and ours. */
interface Gap {
  readonly text: string;
  /** Epoch ms since when it is the same. */
  readonly since: number;
  /** It is in the log. */
  readonly isSaid?: true;
}

/**
 * The futures wallet and the positions as records explain them: fills, and bills for funding and transfers. A picture of the account
 * is compared with them and never copied: what differs for longer than a record may be late is reported, and halts if the config says so.
 */
export class FuturesMoney implements Money {
  readonly wallet: Wallet;
  readonly #coins: readonly string[];
  readonly #pictures = new Map<string, SeenPicture>();
  /** Steps of each side of each contract that records explain. */
  readonly #held = new Map<string, number>();
  /** Isolated margins as reported, by side. */
  readonly #margins = new Map<string, Decimal>();
  readonly #gaps = new Map<string, Gap>();
  /** The amounts of the newest bills, by id, as they were booked or were in the first picture. */
  #bills = new Map<string, string>();
  #billsFrom = Number.NaN;
  #basedAt = Number.NEGATIVE_INFINITY;
  #fills: string[] = [];
  #unexplained: string | undefined;
  /** Steps that trades of others have closed, by contract. */
  readonly #closedByOthers = new Map<Instrument, number>();
  #isDirty = false;
  #isOutdated = false;

  constructor(private readonly parts: FuturesMoneyParts) {
    const { context, instruments } = parts;
    this.wallet = new Wallet(
      (event) => context.report(event),
      () => context.clock.now(),
      'futures',
    );
    this.#coins = [...new Set(instruments.map(({ quote }) => quote))].sort();
    const kept = context.memory.recall(MEMORY) as Kept | undefined;
    if (kept === undefined) return;
    for (const [side, steps] of kept.held) this.#held.set(side, steps);
    for (const [side, margin] of kept.margins) this.#margins.set(side, new Decimal(margin));
    this.#bills = new Map(kept.bills);
    this.#billsFrom = kept.billsFrom;
    this.#basedAt = kept.basedAt;
    this.#fills = [...kept.fills];
    this.#unexplained = kept.unexplained;
  }

  resume(resumed: Resumed): void {
    this.wallet.resume(resumed);
  }

  *begin(): Asking {
    const { context, settings, instruments, exchangeTime } = this.parts;
    if (settings.foreign === 'block') yield* this.#refuseForeign();
    const now = exchangeTime();
    this.#billsFrom = now;
    this.#basedAt = now;
    const found: [coin: string, picture: SeenPicture][] = [];
    for (const coin of this.#coins) {
      // The bills of the last minutes are in the picture.
      for (const { billId, amount } of (yield* this.#billsOf(coin, true, false)).records) this.#bills.set(billId, amount.toFixed());
      found.push([coin, yield* ask({ ask: 'picture', coin })]);
    }
    // A start that fails before this is tried again.
    for (const [coin, picture] of found) {
      this.#pictures.set(coin, picture);
      this.wallet.post(coin, picture.total, 'deposit');
      for (const { instrument, positionSide, steps, openValue: notional, orderId } of picture.positions) {
        if (instrument === undefined || steps === 0 || !instruments.includes(instrument)) continue;
        const time = context.clock.now();
        context.report({ kind: 'positionFound', time, instrument, positionSide, action: 'opened', steps, notional, orderId });
        this.#hold(instrument, positionSide, steps);
      }
      this.#reportMargins(picture);
    }
    this.#isDirty = true;
  }

  settle({ instrument, fillId, steps, side, positionSide }: Fill, seen: SeenFill): void {
    this.#post(seen, instrument.quote, fillId);
    if (positionSide !== 'net') this.#hold(instrument, positionSide, (side === 'buy') === (positionSide === 'long') ? steps : -steps);
  }

  settleForeign(seen: SeenFill, instrument: Instrument): void {
    const { context } = this.parts;
    const { side, positionSide, quantity, notional } = seen;
    if (positionSide === undefined) return;
    const steps = instrument.step.floorUnits(quantity);
    const opens = (side === 'buy') === (positionSide === 'long');
    if (!opens) this.#closedByOthers.set(instrument, (this.#closedByOthers.get(instrument) ?? 0) + steps);
    this.#post(seen, instrument.quote, '');
    this.#keep(seen);
    this.#hold(instrument, positionSide, opens ? steps : -steps);
    const action = opens ? 'opened' : 'closed';
    context.report({ kind: 'positionFound', time: context.clock.now(), instrument, positionSide, action, steps, notional, orderId: '' });
  }

  settleForced(seen: SeenFill, instrument: Instrument): void {
    const { fee, liquidationFee = ZERO } = seen;
    // An exchange may list what the liquidation costs as the fee of the fill.
    this.#post({ ...seen, fee: ZERO, liquidationFee: liquidationFee.plus(fee) }, instrument.quote, seen.fillId);
    this.#keep(seen);
    if (seen.positionSide !== undefined) this.#hold(instrument, seen.positionSide, -instrument.step.floorUnits(seen.quantity));
  }

  *read(round: MoneyRound): Asking<readonly Difference[]> {
    const found: Difference[] = [];
    const fills = this.#fills;
    let isCurrent = true;
    for (const coin of this.#coins) {
      const picture = yield* ask({ ask: 'picture', coin });
      const isNews = this.#pictures.get(coin)?.version !== picture.version;
      const before = this.#pictures.get(coin);
      this.#pictures.set(coin, picture);
      const standing = this.#gaps.has(coin);
      // A difference that comes with steps is that of fills, which are read first next time.
      const isMoney =
        !this.#amount(coin, picture).isZero() &&
        (standing || (isNews && !this.#differing(picture).some(({ instrument }) => instrument.quote === coin)));
      const isWhole = !isMoney || (yield* this.#explainByBills(coin, before, picture, found));
      // Bills that were not read may explain the rest.
      if (isWhole) found.push(...this.#judge(coin, picture, round));
      else this.#differs(coin, '');
      const isAlike = this.#differing(picture).length === 0;
      if (isAlike) this.#reportMargins(picture);
      isCurrent &&= isAlike && this.#amount(coin, picture).isZero();
      this.#remember();
    }
    // A picture may be older than the last fill, or a fill may have come since it was asked for.
    if (isCurrent && fills === this.#fills) this.#isOutdated = false;
    return found;
  }

  *evidenceOf({ request }: TrackedOrder): Asking<Evidence> {
    const { instrument, positionSide, side } = request;
    const picture = yield* ask({ ask: 'picture', coin: instrument.quote });
    if (positionSide === 'net') return { mayHaveFilled: false, isFreed: false, reserved: 'none' };
    const more = stepsIn(picture, instrument, positionSide) - this.#steps(instrument, positionSide);
    const opens = (side === 'buy') === (positionSide === 'long');
    return { mayHaveFilled: opens ? more > 0 : more < 0, isFreed: false, reserved: 'none' };
  }

  *explains({ quote }: Instrument): Asking<boolean> {
    const picture = yield* ask({ ask: 'picture', coin: quote });
    return this.#amount(quote, picture).isZero() && this.#differing(picture).length === 0;
  }

  /** The margin of positions, and of opening orders that wait for no trigger: that of their rest, with the taker's fee. */
  freeze(orders: readonly TrackedOrder[]): void {
    for (const [coin, picture] of this.#pictures) {
      let margin = ZERO;
      for (const { isolatedMargin, openValue, leverage } of picture.positions) {
        if (isolatedMargin === undefined) margin = margin.plus(leverage.isZero() ? ZERO : initialMargin(openValue, leverage));
        else if (isolatedMargin.isPositive()) margin = margin.plus(isolatedMargin);
      }
      for (const order of orders) if (order.request.instrument.quote === coin) margin = margin.plus(this.#marginOf(order, picture));
      this.wallet.bind(coin, margin);
    }
    this.#remember();
  }

  foundAtStart(_: Resumed, stick: (instrument: Instrument, reason: string) => void): readonly Difference[] {
    for (const [instrument, steps] of this.#closedByOthers)
      stick(instrument, `${instrument.step.toText(steps)} ${instrument.symbol} was closed, and no order of the journal explains it`);
    return [];
  }

  haltOf(): string | undefined {
    return this.parts.settings.unexplained === 'halt' ? this.#unexplained : undefined;
  }

  get fillsOfOthers(): readonly string[] {
    return this.#fills;
  }

  /** A position may be charged funding or be liquidated at any time. */
  get open(): boolean {
    return this.waits || [...this.#held.values()].some((steps) => steps > 0);
  }

  get waits(): boolean {
    return this.#gaps.size > 0;
  }

  /** Margins are those of the newest picture. */
  get outdated(): boolean {
    return this.#isOutdated;
  }

  lift(): void {
    this.#unexplained = undefined;
    this.#isDirty = true;
  }

  heldSteps(instrument: Instrument, side: 'long' | 'short'): number {
    return this.#steps(instrument, side);
  }

  /** The id of the order that opened the separated position that the exchange has closed by so many steps; `undefined` in other modes. */
  positionClosed(instrument: Instrument, positionSide: PositionSide, steps: number): string | undefined {
    const separated = [...this.#pictures.values()].flatMap(({ positions }) =>
      positions.filter((one) => one.instrument === instrument && one.positionSide === positionSide && one.orderId !== ''),
    );
    return (separated.find((one) => one.steps === steps) ?? separated[0])?.orderId;
  }

  *#refuseForeign(): Asking {
    const ids: string[] = [];
    for (const instrument of this.parts.instruments)
      for (const { orderId } of yield* ask({ ask: 'openOrders', instrument })) ids.push(orderId);
    if (ids.length === 0) return;
    throw new TidegateError(
      'START_REFUSED',
      `futures orders that are in no journal of this bot (${ids.join(', ')}): cancel them, or set live.foreign to ignore or adopt`,
    );
  }

  #marginOf({ phase, request, waitsForTrigger, reportedSteps }: TrackedOrder, { positions }: SeenPicture): Decimal {
    const { instrument, positionSide, priceTicks, triggerTicks, steps = 0 } = request;
    if (phase !== 'open' || waitsForTrigger || closes(request)) return ZERO;
    const margin = this.parts.marginOf(instrument);
    const ours = positionSide === 'long' ? margin?.longLeverage : margin?.shortLeverage;
    const leverage = ours ?? positions.find((one) => one.instrument === instrument && one.positionSide === positionSide)?.leverage;
    if (leverage === undefined || leverage.isZero()) return ZERO;
    const value = instrument.notional(priceTicks ?? triggerTicks ?? 0, Math.max(0, steps - reportedSteps));
    return initialMargin(value, leverage).plus(value.times(instrument.takerFee));
  }

  #post({ profit = ZERO, fee, liquidationFee = ZERO }: SeenFill, coin: string, fillId: string): void {
    this.wallet.post(coin, profit, 'profit', fillId);
    this.wallet.post(coin, fee.negated(), 'fee', fillId);
    this.wallet.post(coin, liquidationFee.negated(), 'liquidationFee', fillId);
  }

  #keep({ fillId }: SeenFill): void {
    this.#fills = [...this.#fills, fillId].slice(-KEPT);
  }

  #hold(instrument: Instrument, side: PositionSide, steps: number): void {
    this.#isOutdated = true;
    // The fill explains a part of the difference: one of the same size later is another one.
    if (this.#gaps.has(instrument.quote)) this.#differs(instrument.quote, '');
    this.#held.set(keyOf(instrument, side), this.#steps(instrument, side) + steps);
    // A turn may end at any reply: what was reported and what is remembered become durable together.
    this.#isDirty = true;
    this.#remember();
  }

  #steps(instrument: Instrument, side: PositionSide): number {
    return this.#held.get(keyOf(instrument, side)) ?? 0;
  }

  /** Money of the exchange beyond ours. */
  #amount(coin: string, { total }: SeenPicture): Decimal {
    return total.minus(this.wallet.total(coin));
  }

  /** Sides whose steps differ from those that records explain. */
  #differing(picture: SeenPicture): Differing[] {
    return this.parts.instruments.flatMap((instrument) =>
      SIDES.flatMap((positionSide) => {
        const more = stepsIn(picture, instrument, positionSide) - this.#steps(instrument, positionSide);
        return more === 0 ? [] : [{ instrument, positionSide, more }];
      }),
    );
  }

  *#billsOf(coin: string, withLate: boolean, partly: boolean) {
    const { visibilityLagMs, clockErrorMs } = this.parts.settings;
    const overlapMs = visibilityLagMs + 2 * clockErrorMs + (withLate ? LATE_MS : 0);
    return yield* ask({ ask: 'bills', coin, from: Math.max(0, this.#billsFrom - overlapMs), partly });
  }

  /** Reports new bills: funding, and transfers of the owner, which are added to `found`. @returns whether all were read. */
  *#explainByBills(coin: string, before: SeenPicture | undefined, now: SeenPicture, found: Difference[]): Asking<boolean> {
    const { context, exchangeTime } = this.parts;
    const requestedAt = exchangeTime();
    const { records, whole } = yield* this.#billsOf(coin, this.#gaps.has(coin), true);
    const book = (bill: SeenBill) => {
      this.#bills.set(bill.billId, bill.amount.toFixed());
      this.#isDirty = true;
      const { kind, amount, text } = bill;
      if (kind === 'funding') {
        this.#fund(coin, bill, before, now);
        return;
      }
      const journal = this.wallet.total(coin);
      this.wallet.post(coin, amount, kind);
      found.push({ what: 'balance', subject: coin, journal: journal.toFixed(), exchange: journal.plus(amount).toFixed(), cause: text });
    };
    const early: SeenBill[] = [];
    for (const bill of records) {
      if (this.#bills.has(bill.billId)) continue;
      if (bill.kind === 'funding' && bill.time < this.#basedAt) early.unshift(bill);
      else if (bill.kind === 'funding' || !this.#wasInBase(coin, bill, now)) book(bill);
    }
    // Our time of the first picture may be wrong: the newest of earlier payments that are all of a difference came after it.
    const gap = this.#amount(coin, now);
    const sumTo = (end: number) => early.slice(0, end).reduce((sum, { amount }) => sum.plus(amount), ZERO);
    const count = gap.isZero() ? 0 : early.findIndex((_, index) => gap.equals(sumTo(index + 1))) + 1;
    for (const bill of early.slice(0, count)) book(bill);
    if (whole) this.#billsFrom = Math.max(this.#billsFrom, requestedAt);
    this.#bookRests(coin, records, before, now);
    this.#bills = new Map([...this.#bills].slice(-KEPT));
    this.#remember();
    if (found.length > 0) context.settled();
    return whole;
  }

  /** Answers may have had other amounts of payments: a difference that is just the rest of one, or of all of them, belongs to them. */
  #bookRests(coin: string, records: readonly SeenBill[], before: SeenPicture | undefined, now: SeenPicture): void {
    const rests = records.flatMap((bill) => {
      const amount = bill.amount.minus(this.#bills.get(bill.billId) ?? bill.amount);
      return bill.kind !== 'funding' || amount.isZero() ? [] : [{ ...bill, amount }];
    });
    const gap = this.#amount(coin, now);
    const one = rests.find(({ amount }) => amount.equals(gap));
    const sum = rests.reduce((total, { amount }) => total.plus(amount), ZERO);
    for (const rest of one !== undefined ? [one] : sum.equals(gap) ? rests : []) {
      this.#bills.set(rest.billId, rest.amount.plus(this.#bills.get(rest.billId)!).toFixed());
      this.#isDirty = true;
      this.#fund(coin, rest, before, now);
    }
  }

  /** Transfers from before the very first picture are in it. One from about its time is not if it explains a part of a difference. */
  #wasInBase(coin: string, { time, amount }: SeenBill, picture: SeenPicture): boolean {
    if (time >= this.#basedAt + BASE_MS) return false;
    const gap = this.#amount(coin, picture);
    return gap.minus(amount).abs().greaterThanOrEqualTo(gap.abs());
  }

  /** A bill of funding names its contract and not its side: the sums of the positions do. */
  #fund(coin: string, bill: SeenBill, before: SeenPicture | undefined, now: SeenPicture): void {
    const { instrument, amount } = bill;
    const { context } = this.parts;
    if (instrument !== undefined) {
      const positionSide = bill.positionSide ?? chargedSide(instrument, amount, before, now) ?? this.#heldSide(instrument);
      // The exchange sends neither rate nor mark, only the amount.
      const unknown = { rate: ZERO, markPrice: ZERO };
      const steps = this.#steps(instrument, positionSide);
      context.report({ kind: 'fundingCharged', time: context.clock.now(), instrument, positionSide, steps, ...unknown, amount });
    }
    this.wallet.post(coin, amount, 'funding');
  }

  #heldSide(instrument: Instrument): PositionSide {
    return SIDES.find((side) => this.#steps(instrument, side) > 0) ?? 'long';
  }

  /** A difference that stays longer than records may be late is reported as unexplained. */
  #judge(coin: string, picture: SeenPicture, { isCalm, isStarting, fillsReadAt }: MoneyRound): readonly Difference[] {
    const { context, settings } = this.parts;
    const amount = this.#amount(coin, picture);
    const sides = this.#differing(picture).filter(({ instrument }) => instrument.quote === coin);
    if (amount.isZero() && sides.length === 0) {
      this.#gaps.delete(coin);
      return [];
    }
    const text = `${amount.toFixed()} ${sides.map(({ instrument, positionSide, more }) => `${instrument.symbol} ${positionSide} ${more}`).join(' ')}`;
    const standing = this.#gaps.get(coin);
    if (standing?.text !== text || !isCalm()) {
      this.#differs(coin, text);
      return [];
    }
    const lastsMs = fillsReadAt - standing.since;
    if (lastsMs < patienceMs(settings, isStarting)) {
      if (lastsMs >= settings.visibilityLagMs && standing.isSaid === undefined)
        context.log.warn(`${coin} of the futures wallet, or positions, that no record explains so far: ${text.trim()}`, { coin });
      if (lastsMs >= settings.visibilityLagMs) this.#gaps.set(coin, { ...standing, isSaid: true });
      return [];
    }
    this.#gaps.delete(coin);
    return this.#unexplain(coin, amount, sides, picture);
  }

  /** From now on, and not for longer. */
  #differs(coin: string, text: string): void {
    this.#gaps.set(coin, { text, since: this.parts.context.clock.now() });
  }

  #unexplain(coin: string, amount: Decimal, sides: readonly Differing[], picture: SeenPicture): readonly Difference[] {
    const { context } = this.parts;
    const time = context.clock.now();
    const journal = this.wallet.total(coin);
    const reason = `${amount.toFixed()} ${coin} of the futures wallet that nothing explains`;
    for (const { instrument, positionSide, more } of sides) {
      const action = more > 0 ? 'opened' : 'closed';
      const steps = Math.abs(more);
      const notional = valueIn(picture, instrument, positionSide)
        .times(steps)
        .div(Math.max(1, stepsIn(picture, instrument, positionSide)));
      context.log.warn(`${instrument.step.toText(steps)} ${instrument.symbol} ${positionSide} ${action} that no record explains`);
      context.report({ kind: 'positionFound', time, instrument, positionSide, action, steps, notional, orderId: '' });
      this.#hold(instrument, positionSide, more);
    }
    if (!amount.isZero()) {
      this.wallet.post(coin, amount, 'unexplained');
      context.log.warn(reason, { coin, amount: amount.toFixed() });
    }
    this.#unexplained = amount.isZero() ? 'positions of the futures account that no record explains' : reason;
    this.#isDirty = true;
    context.settled();
    return [{ what: 'balance', subject: coin, journal: journal.toFixed(), exchange: picture.total.toFixed(), cause: 'unexplained' }];
  }

  /** Reports isolated margins that have changed since the last report. */
  #reportMargins({ positions }: SeenPicture): void {
    const { context, instruments } = this.parts;
    for (const instrument of instruments) {
      for (const positionSide of SIDES) {
        const mine = positions.filter(
          (one) => one.instrument === instrument && one.positionSide === positionSide && one.isolatedMargin !== undefined,
        );
        const margin = mine.reduce((sum, { isolatedMargin }) => sum.plus(isolatedMargin!), ZERO);
        const key = keyOf(instrument, positionSide);
        if (margin.equals(this.#margins.get(key) ?? ZERO)) continue;
        this.#margins.set(key, margin);
        this.#isDirty = true;
        const separated = mine.filter(({ orderId }) => orderId !== '');
        const parts = separated.length > 0 ? { parts: new Map(separated.map((one) => [one.orderId, one.isolatedMargin!])) } : {};
        context.report({ kind: 'marginChanged', time: context.clock.now(), instrument, positionSide, margin, ...parts });
      }
    }
  }

  #remember(): void {
    if (!this.#isDirty) return;
    this.#isDirty = false;
    const kept: Kept = {
      held: [...this.#held].filter(([, steps]) => steps !== 0),
      margins: [...this.#margins].map(([side, margin]) => [side, margin.toFixed()]),
      bills: [...this.#bills],
      billsFrom: this.#billsFrom,
      basedAt: this.#basedAt,
      fills: this.#fills,
      unexplained: this.#unexplained,
    };
    this.parts.context.memory.remember(MEMORY, kept);
  }
}
