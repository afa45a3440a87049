import type { Decimal } from '../model/decimal.ts';
import type { Instrument } from '../model/instrument.ts';
import type { ReadonlyState } from '../state/state.ts';
import type { RiskLimits, ScopeLimits } from './limits.ts';

/** A limit that the present positions already exceed, before any order: only reducing orders pass there. */
export interface BeyondLimit {
  /** Its name in a config, as `positions.BTC-USDT`. */
  readonly limit: string;
  /** Absent: the account's. */
  readonly strategyId: string | undefined;
  /** Absent if all instruments count. */
  readonly symbol: string | undefined;
  readonly value: string;
  readonly most: string;
}

/** Limits on positions, exposure, leverage and concentration that are exceeded already. A position without a price counts as 0. */
export function beyondLimits(state: ReadonlyState, limits: RiskLimits): BeyondLimit[] {
  const scopes: [string | undefined, ScopeLimits][] = [[undefined, limits], ...(limits.strategies ?? [])];
  return [...scopes.flatMap(([id, { maxPosition }]) => positionsBeyond(state, maxPosition, id)), ...valuesBeyond(state, limits)];
}

function positionsBeyond(state: ReadonlyState, maxPosition: ReadonlyMap<string, Decimal>, strategyId: string | undefined): BeyondLimit[] {
  return [...maxPosition].flatMap(([symbol, most]) => {
    const instrument = state.instruments.find((one) => one.symbol === symbol);
    const steps = instrument === undefined ? 0 : Math.max(0, ...heldSteps(state, instrument, strategyId));
    const value = instrument?.step.toDecimal(steps);
    if (value === undefined || !value.greaterThan(most)) return [];
    return [{ limit: `positions.${symbol}`, strategyId, symbol, value: value.toFixed(), most: most.toFixed() }];
  });
}

/** For each side, never negative. */
function heldSteps(state: ReadonlyState, instrument: Instrument, strategyId: string | undefined): number[] {
  if (strategyId !== undefined) {
    return (state.books.get(strategyId)?.sides(instrument) ?? []).map(({ steps }) => Math.abs(steps));
  }
  const sides = state.sides(instrument);
  return sides.length > 1 ? sides.map(({ steps }) => Math.abs(steps)) : [Math.abs(state.heldSteps(instrument))];
}

/** Digits of a share. */
const PLACES = 4;

function valuesBeyond(state: ReadonlyState, { maxExposure, maxLeverage, concentration }: RiskLimits): BeyondLimit[] {
  const { portfolio } = state;
  const values = state.instruments.map((instrument) => ({ instrument, value: heldValue(state, instrument) }));
  const sum = (of: readonly { readonly value: number }[]) => of.reduce((all, { value }) => all + value, 0);
  const equity = portfolio.exactEquity().toNumber();
  const share = (value: number) => (equity > 0 ? value / equity : 0);
  const found: BeyondLimit[] = [];
  const note = (limit: string, symbol: string | undefined, value: number, most: number | undefined, places: number) => {
    if (most === undefined || !(value > most)) return;
    found.push({ limit, strategyId: undefined, symbol, value: value.toFixed(places), most: String(most) });
  };
  note('account.maxExposure', undefined, sum(values), maxExposure?.toNumber(), 2);
  const contracts = values.filter(({ instrument }) => state.sides(instrument).length > 1);
  note('account.maxLeverage', undefined, share(sum(contracts)), maxLeverage?.toNumber(), PLACES);
  for (const { instrument, value } of values) {
    note('account.concentration.symbol', instrument.symbol, share(value), concentration?.symbol, PLACES);
  }
  return found;
}

/** The value of the account's position, both sides added, in the account's currency. */
function heldValue(state: ReadonlyState, instrument: Instrument): number {
  const steps = heldSteps(state, instrument, undefined).reduce((sum, one) => sum + one, 0);
  const { mark } = state.market(instrument);
  const rate = state.portfolio.rateOf(instrument.quote)?.toNumber() ?? 0;
  return steps === 0 ? 0 : steps * instrument.step.toNumber(1) * mark * rate || 0;
}
