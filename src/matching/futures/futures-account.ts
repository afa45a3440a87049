import type { VenueEvent } from '../../model/account-events.ts';
import { type Decimal, ZERO } from '../../model/decimal.ts';
import { invariant } from '../../model/errors.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Balance, Wallet } from '../../model/ledger.ts';
import { initialMargin, type MarginSettings } from '../../model/margin.ts';
import type { Funding } from '../../model/market-events.ts';
import { closes, type PositionSide } from '../../model/order.ts';
import type { Rejection } from '../../model/reasons.ts';
import { AccountLedger, type Exchange, type OrderFunds } from '../accounts/ledger.ts';
import type { FeeBase } from '../models/fees.ts';
import { affordableSteps, bind, ContractSide, refusalOf, unbind } from './contract-side.ts';
import type { FuturesPosition, Stamp } from './futures-position.ts';
import { type MarginPool, Purse } from './margin-pool.ts';
import type { CollateralRecord, FuturesAccountRecord, MarginRecord, PositionRecord } from './records.ts';
import { Settlement } from './settlement.ts';

type Sides = Readonly<Record<'long' | 'short', ContractSide>>;

/**
 * A futures account: long and short sides on margin, with a collateral for each quote currency. Fees are taken in quote. It is a
 * `SimulatedAccount`.
 */
export class FuturesAccount {
  readonly ledger: AccountLedger;
  readonly futures: FuturesAccount = this;
  readonly #settlement: Settlement;
  readonly #purses = new Map<string, Purse>();
  readonly #sides = new Map<Instrument, Sides>();
  /** Settings that were changed after the account was opened. */
  readonly #leverage = new Map<Instrument, MarginSettings>();
  #exchange: Exchange | undefined;
  #version = 0;
  #createdTime = Number.NaN;
  #updatedTime = Number.NaN;

  constructor(
    readonly emit: (event: VenueEvent) => void,
    private readonly openingSettings: (instrument: Instrument) => MarginSettings,
  ) {
    this.ledger = new AccountLedger(emit, 'futures');
    this.#settlement = new Settlement(this.ledger);
  }

  join(exchange: Exchange): void {
    this.#exchange = exchange;
    this.ledger.join(exchange.book);
    this.#settlement.insured = exchange.liquidates;
  }

  deposit(time: number, wallet: Wallet, asset: string, amount: Decimal): void {
    invariant(wallet === 'futures', 'a futures account has one wallet');
    this.#purse(asset).shared.collateral.move('deposit', amount, time);
    this.ledger.post(time, { asset, amount, reason: 'deposit', fillId: '' });
    this.#touch(time);
  }

  /** A transfer between wallets of the exchange; negative for money out. */
  transfer(time: number, asset: string, amount: Decimal): void {
    this.#purse(asset).shared.collateral.move(amount.isNegative() ? 'transferOut' : 'transferIn', amount, time);
    this.ledger.post(time, { asset, amount, reason: 'deposit', fillId: '' });
    this.#touch(time);
  }

  get balances(): Balance[] {
    return [...this.ledger.balances];
  }

  /** Binds the margin that an opening order needs; a refusal changes nothing. */
  reserve(order: OrderFunds, time: number, takerTicks: number): Rejection | undefined {
    const { instrument, positionSide } = order.request;
    const side = this.#side(instrument, positionSide);
    const refusal = refusalOf(order, side, takerTicks);
    if (refusal !== undefined || closes(order.request)) return refusal;
    bind(order, side);
    this.#hold(side.purse, time);
    return undefined;
  }

  affordable(order: OrderFunds, ticks: number, wanted: number): number {
    const { instrument, positionSide } = order.request;
    return affordableSteps(order, this.#side(instrument, positionSide), ticks, wanted);
  }

  feeBase(instrument: Instrument, _buy: boolean, _steps: number, notional: Decimal): FeeBase {
    return { amount: notional, feeAsset: instrument.quote };
  }

  settle(order: OrderFunds, fill: Fill): void {
    const side = this.#side(fill.instrument, fill.positionSide);
    if (closes(fill)) {
      order.profit = order.profit.plus(this.#settlement.close(side, fill, this.#stamp(fill.time)));
    } else {
      this.#settlement.open(side, fill, this.#stamp(fill.time));
      bind(order, side);
    }
    this.#moved(side, fill.time);
  }

  release(order: OrderFunds, time: number): void {
    if (order.boundValue.isZero()) return;
    const side = this.#side(order.request.instrument, order.request.positionSide);
    unbind(order, side);
    this.#hold(side.purse, time);
  }

  /**
   * Sets the leverage of a contract. It is refused while orders of the contract are open or a position there has isolated margin, above
   * the limit of the position's tier, and if the free margin does not pay for the positions at it.
   * @returns the refusal in words; `undefined` once it is set.
   */
  setLeverage(instrument: Instrument, longLeverage: Decimal, shortLeverage: Decimal, time: number): string | undefined {
    const settings = { ...this.#settingsOf(instrument), longLeverage, shortLeverage };
    const sides = this.#sides.get(instrument);
    if (sides !== undefined) {
      const refusal = this.#leverageRefusal(sides, longLeverage, shortLeverage);
      if (refusal !== undefined) return refusal;
      for (const side of [sides.long, sides.short]) {
        side.settings = settings;
        for (const position of side.positions) position.relever(settings);
      }
      this.#hold(sides.long.purse, time);
    }
    this.#leverage.set(instrument, settings);
    this.#touch(time);
    return undefined;
  }

  #leverageRefusal({ long, short }: Sides, longLeverage: Decimal, shortLeverage: Decimal): string | undefined {
    let more: Decimal = ZERO;
    for (const [side, leverage] of [
      [long, longLeverage],
      [short, shortLeverage],
    ] as const) {
      if (!side.ordered.isZero()) return 'orders of the contract are open';
      if (side.isolated && side.steps > 0) return 'a position of the contract has isolated margin';
      const { maxLeverage } = side.book.contract.tiers.of(side.valueWith(ZERO));
      if (side.steps > 0 && maxLeverage?.lessThan(leverage)) return `leverage ${leverage.toFixed()} is over ${maxLeverage.toFixed()}`;
      for (const { openValue, initialMargin: present } of side.positions)
        more = more.plus(initialMargin(openValue, leverage)).minus(present);
    }
    return more.greaterThan(ZERO) && more.greaterThan(long.purse.free) ? `${long.purse.currency} not enough` : undefined;
  }

  /** Long less short. */
  positionSteps(instrument: Instrument): number {
    const sides = this.#sides.get(instrument);
    return sides === undefined ? 0 : sides.long.steps - sides.short.steps;
  }

  /** Steps of one side, never negative. */
  heldSteps(instrument: Instrument, positionSide: PositionSide): number {
    return this.#side(instrument, positionSide).steps;
  }

  /** Charges (or pays) funding on the present position. */
  charge({ instrument, exactRate, time }: Funding): void {
    const sides = this.#sides.get(instrument);
    if (sides === undefined) return;
    for (const side of [sides.long, sides.short]) {
      const { steps, positionSide } = side;
      if (steps === 0) continue;
      const markPrice = side.book.prices.exact;
      const amount = this.#settlement.fund(side, exactRate, markPrice, this.#stamp(time));
      this.#moved(side, time);
      this.emit({ kind: 'fundingCharged', time, instrument, positionSide, steps, rate: exactRate, markPrice, amount });
    }
  }

  /** Its collaterals, with the positions that they secure. */
  get purses(): IterableIterator<Purse> {
    return this.#purses.values();
  }

  /** Moves margin from the shared collateral to an isolated position that lacks it, where the position's setting allows that. */
  append(pool: MarginPool, time: number): void {
    const [position] = pool.positions;
    const side = this.#side(position!.instrument, position!.positionSide);
    if (side.settings.autoAppend && this.#settlement.append(side, pool, time)) this.#moved(side, time);
  }

  /** Books a liquidation fill, which closes a position (in part). */
  liquidate(order: OrderFunds, position: FuturesPosition, fill: Fill): void {
    const side = this.#side(position.instrument, position.positionSide);
    order.profit = this.#settlement.liquidate(side, position, fill, this.#stamp(fill.time));
    this.#moved(side, fill.time);
  }

  /** Its positions on one side of a contract, oldest first. */
  positionsOf(instrument: Instrument, positionSide: PositionSide): readonly FuturesPosition[] {
    return [...this.#side(instrument, positionSide).positions];
  }

  /** Every position, in the order in which their contracts were first used; longs first. */
  positionRecords(): PositionRecord[] {
    return [...this.#sides.values()].flatMap(({ long, short }) =>
      [...long.positions, ...short.positions].map((position) => position.record()),
    );
  }

  collateralRecords(): CollateralRecord[] {
    return [...this.#purses.values()].flatMap((purse) => purse.records());
  }

  margin(currency: string): MarginRecord {
    return this.#purse(currency).margin();
  }

  /** Increases with every change of a position or a collateral. */
  get version(): number {
    return this.#version;
  }

  record(): FuturesAccountRecord {
    const contracts = this.#exchange?.instruments.filter(({ kind }) => kind === 'futures') ?? [];
    return {
      version: this.#version,
      createdTime: this.#createdTime,
      updatedTime: this.#updatedTime,
      contracts: contracts.map((instrument) => {
        const { makerFee, takerFee } = instrument;
        return { ...this.#settingsOf(instrument), instrument, makerFee, takerFee };
      }),
    };
  }

  #settingsOf(instrument: Instrument): MarginSettings {
    return this.#leverage.get(instrument) ?? this.openingSettings(instrument);
  }

  #side(instrument: Instrument, positionSide: PositionSide): ContractSide {
    invariant(positionSide !== 'net', 'an order of a futures account names the side that it opens or closes');
    return (this.#sides.get(instrument) ?? this.#sidesOf(instrument))[positionSide];
  }

  #sidesOf(instrument: Instrument): Sides {
    invariant(this.#exchange !== undefined, 'an account is at an exchange before it trades');
    const book = this.#exchange.contract(instrument);
    const settings = this.#settingsOf(instrument);
    const purse = this.#purse(instrument.quote);
    const sides = { long: new ContractSide(book, 'long', settings, purse), short: new ContractSide(book, 'short', settings, purse) };
    this.#sides.set(instrument, sides);
    return sides;
  }

  #purse(currency: string): Purse {
    const purse = this.#purses.get(currency) ?? new Purse(currency);
    this.#purses.set(currency, purse);
    return purse;
  }

  #stamp(time: number): Stamp {
    return { time, sequence: this.#exchange!.nextSequence() };
  }

  /** A position or its margin has changed. */
  #moved(side: ContractSide, time: number): void {
    const { purse, book } = side;
    this.#touch(time);
    this.#hold(purse, time);
    if (side.isolated) this.#reportMargin(side, time);
    if (purse.shared.mayLack() || book.mayLack()) this.#exchange!.marginMayLack();
  }

  #reportMargin(side: ContractSide, time: number): void {
    const { book, positionSide, margin } = side;
    if (margin.equals(side.reportedMargin)) return;
    side.reportedMargin = margin;
    const { marginParts: parts } = side;
    const event = { kind: 'marginChanged', time, instrument: book.instrument, positionSide, margin } as const;
    this.emit(parts === undefined ? event : { ...event, parts });
  }

  #hold(purse: Purse, time: number): void {
    this.ledger.hold(time, purse.currency, purse.frozen);
  }

  #touch(time: number): void {
    if (Number.isNaN(this.#createdTime)) this.#createdTime = time;
    this.#updatedTime = time;
    this.#version++;
  }
}
