import type { PayloadOf } from '../../../../exchange/operations/operations.ts';
import { wireSymbol } from '../../../../exchange/symbols.ts';
import { Decimal, ZERO } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';

type Payload = PayloadOf<'futuresAccount'>;

const MONEY = [
  'leverage',
  'openValue',
  'openFee',
  'margin',
  'openedValue',
  'openedFee',
  'closedValue',
  'closedFee',
  'funding',
  'liquidationFee',
] as const;
const SUMS = [
  'deposit',
  'withdraw',
  'transferIn',
  'transferOut',
  'openLong',
  'openShort',
  'closeLong',
  'closeShort',
  'fee',
  'feeIncome',
  'liquidationFee',
  'liquidationFeeIncome',
  'funding',
] as const;

type Money = Readonly<Record<(typeof MONEY)[number], Decimal>>;

/** A position, or the known part of one that is no longer listed. Steps, openings and closes are totals over its whole life. */
export interface PositionFigures extends Money {
  readonly id: string;
  /**
   * When it was created, in the exchange's count. A separated position that was flat and is opened again keeps its id, and starts again.
   */
  readonly born: string;
  /** As on the wire; for a contract that the run does not trade possibly its id. */
  readonly symbol: string;
  readonly positionSide: 'long' | 'short';
  /** The id of the opening order if positions are separated, else empty. */
  readonly orderId: string;
  readonly isolated: boolean;
  readonly steps: number;
  readonly openedSteps: number;
  readonly closedSteps: number;
  /** `gone`: flat, and its sums are computed. `guessed`: its sums are unknown, or a share of common sums of several closed positions. */
  readonly state: 'listed' | 'gone' | 'guessed';
}

/** Every sum with its sign: their total is the cash. */
export interface CollateralFigures extends Readonly<Record<(typeof SUMS)[number], Decimal>> {
  /** The id of the isolated position that it belongs to; `shared` for all others. */
  readonly key: string;
  readonly amount: Decimal;
}

/** Operation 16 for one coin: all its money at one moment. */
export interface AccountSnapshot {
  readonly coin: string;
  readonly version: string;
  readonly positions: readonly PositionFigures[];
  readonly collaterals: readonly CollateralFigures[];
}

export const SHARED = 'shared';

/** The collateral that a position uses. */
export function collateralKey({ isolated, id }: Pick<PositionFigures, 'isolated' | 'id'>): string {
  return isolated ? id : SHARED;
}

/** Whether two snapshots show the same position, and not an earlier and a later one with the same name. */
export function isSame(a: PositionFigures, b: PositionFigures): boolean {
  return a.id === b.id && a.born === b.born;
}

/** Balance of the wallet: cash, plus the cost of open longs, minus the proceeds of open shorts. Without unrealised profit. */
export function walletOf({ positions, collaterals }: AccountSnapshot): Decimal {
  const cash = collaterals.reduce((sum, { amount }) => sum.plus(amount), ZERO);
  return positions.reduce(
    (sum, { positionSide, openValue }) => (positionSide === 'long' ? sum.plus(openValue) : sum.minus(openValue)),
    cash,
  );
}

/** @param symbols wire symbols by contract id: records of operation 16 need not name theirs. */
export function snapshotOf(
  coin: string,
  { position, collateral, version }: Payload,
  instruments: readonly Instrument[],
  symbols: ReadonlyMap<string, string>,
): AccountSnapshot {
  const positions = position.map((record): PositionFigures => {
    const symbol = record.symbol ?? symbols.get(record.contract_id) ?? record.contract_id;
    const step = instruments.find((instrument) => wireSymbol(instrument.symbol) === symbol)?.step;
    const steps = (text: string) => step?.floorUnits(new Decimal(text)) ?? 0;
    return {
      id: record.id,
      born: record.created_match_sequence_id,
      symbol,
      positionSide: record.side.toUpperCase() === 'SHORT' ? 'short' : 'long',
      orderId: record.separated_mode.toUpperCase() === 'SEPARATED' ? record.separated_open_order_id : '',
      isolated: record.margin_mode.toUpperCase() === 'ISOLATED',
      steps: steps(record.size),
      openedSteps: steps(record.cum_open_size),
      closedSteps: steps(record.cum_close_size),
      state: 'listed',
      leverage: new Decimal(record.leverage),
      openValue: new Decimal(record.open_value),
      openFee: new Decimal(record.open_fee),
      margin: new Decimal(record.isolated_margin),
      openedValue: new Decimal(record.cum_open_value),
      openedFee: new Decimal(record.cum_open_fee),
      closedValue: new Decimal(record.cum_close_value),
      closedFee: new Decimal(record.cum_close_fee),
      funding: new Decimal(record.cum_funding_fee),
      liquidationFee: new Decimal(record.cum_liquidate_fee),
    };
  });
  const byKey = new Map<string, CollateralFigures>();
  for (const record of collateral) {
    const figures = collateralOf(record);
    byKey.set(figures.key, plus(byKey.get(figures.key), figures));
  }
  return { coin, version, positions, collaterals: [...byKey.values()] };
}

function collateralOf(record: Payload['collateral'][number]): CollateralFigures {
  const isolated = record.margin_mode.toUpperCase() === 'ISOLATED' && record.isolated_position_id !== '0';
  return {
    key: isolated ? record.isolated_position_id : SHARED,
    amount: new Decimal(record.amount),
    deposit: new Decimal(record.cum_deposit_amount),
    withdraw: new Decimal(record.cum_withdraw_amount),
    transferIn: new Decimal(record.cum_transfer_in_amount),
    transferOut: new Decimal(record.cum_transfer_out_amount),
    openLong: new Decimal(record.cum_position_open_long_amount),
    openShort: new Decimal(record.cum_position_open_short_amount),
    closeLong: new Decimal(record.cum_position_close_long_amount),
    closeShort: new Decimal(record.cum_position_close_short_amount),
    fee: new Decimal(record.cum_position_fill_fee_amount),
    feeIncome: new Decimal(record.cum_order_fill_fee_income_amount),
    liquidationFee: new Decimal(record.cum_position_liquidate_fee_amount),
    liquidationFeeIncome: new Decimal(record.cum_order_liquidate_fee_income_amount),
    funding: new Decimal(record.cum_position_funding_amount),
  };
}

function plus(a: CollateralFigures | undefined, b: CollateralFigures): CollateralFigures {
  if (a === undefined) return b;
  const sums = Object.fromEntries([...SUMS, 'amount' as const].map((name) => [name, a[name].plus(b[name])]));
  return { ...b, ...sums };
}

/** The snapshot as plain JSON, and back. */
export function snapshotText(snapshot: AccountSnapshot): unknown {
  return JSON.parse(JSON.stringify(snapshot)) as unknown;
}

export function snapshotFrom(plain: unknown): AccountSnapshot {
  const { coin, version, positions, collaterals } = plain as AccountSnapshot;
  const exact = (record: object, names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, new Decimal((record as Record<string, string>)[name]!)]));
  return {
    coin,
    version,
    positions: positions.map((record) => ({ ...record, ...exact(record, MONEY) })),
    collaterals: collaterals.map((record) => ({ ...record, ...exact(record, [...SUMS, 'amount']) })),
  };
}

/** A snapshot, and the epoch ms of its request. */
export interface Read {
  readonly requestedAt: number;
  readonly snapshot: AccountSnapshot;
}
