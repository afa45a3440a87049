import type { CollateralSum } from '../../src/matching/futures/records.ts';
import type { AccountEvent } from '../../src/model/account-events.ts';
import { type Decimal, ZERO } from '../../src/model/decimal.ts';
import type { Fill } from '../../src/model/fill.ts';
import type { LedgerReason } from '../../src/model/ledger.ts';
import { closes } from '../../src/model/order.ts';
import type { Findings } from './invariants.ts';
import type { Life, World } from './world.ts';

type Add = (key: string, steps: number) => void;

/**
 * Positions, and every sum of money, as the exchange has them.
 * @param proving the exchange lists orders that are over, its own, too: then nothing needs to be inferred.
 * @param isSumsAlone orders are missing in the journal: what each was is nobody's, and only the sums can be right.
 */
export function checkFutures(world: World, life: Life, proving: boolean, isSumsAlone = false): Pick<Findings, 'wrong' | 'inferred'> {
  const wrong: string[] = [];
  let inferred = 0;
  const { state } = life.bot;
  const { futures, orders } = world.account;
  const unlike = (what: string, here: string, there: string) => {
    if (here !== there) wrong.push(`${what}: ${here} here, ${there} there`);
  };
  for (const instrument of world.instruments) {
    if (instrument.contract === undefined) continue;
    for (const side of ['long', 'short'] as const) {
      const there = futures.heldSteps(instrument, side);
      unlike(`${instrument.symbol} ${side}`, String(Math.abs(state.position(instrument, side).steps)), String(there));
    }
  }
  const there = futures.ledger.balance('USDT');
  const here = state.portfolio.balance('USDT', 'futures');
  unlike('futures USDT', here.total.toFixed(), there.total.toFixed());
  unlike('futures USDT frozen', here.frozen.toFixed(), there.frozen.toFixed());

  const entries = new Map<LedgerReason, Decimal>();
  const told = new Map<string, number>();
  const doubtful = new Map<string, number>();
  const ids = new Set<string>();
  const count =
    (into: Map<string, number>): Add =>
    (key, steps) =>
      into.set(key, (into.get(key) ?? 0) + steps);
  for (const { kind, value } of life.journal.records()) {
    if (kind !== 'event') continue;
    const { event } = value as { readonly event: AccountEvent };
    if (event.kind === 'balanceChanged' && event.balance.wallet === 'futures' && event.entry !== undefined) {
      const { reason, amount } = event.entry;
      entries.set(reason, (entries.get(reason) ?? ZERO).plus(amount));
    }
    if (event.kind === 'positionFound' && !isSumsAlone)
      wrong.push(`${event.steps} steps of ${event.instrument.symbol} ${event.action} by nobody`);
    if (event.kind !== 'orderFilled' && event.kind !== 'positionLiquidated') continue;
    const { fill } = event;
    if (fill.instrument.contract === undefined || (event.kind === 'orderFilled' && fill.tag === 'liquidation')) continue;
    if (ids.has(fill.fillId)) wrong.push(`fill ${fill.fillId} was told twice`);
    ids.add(fill.fillId);
    count(told)(turnover(fill, event.kind === 'positionLiquidated'), fill.steps);
    if (event.inferred === true) count(doubtful)(sideOf(fill), fill.steps);
  }
  const traded = new Map<string, number>();
  for (const { fill, order } of orders.fills) {
    if (fill.instrument.contract !== undefined) count(traded)(turnover(fill, order.clientOrderId === ''), fill.steps);
  }
  // Which part of a close was forced may be inferred where nothing shows it, and was told so: never that it was, nor its size.
  if (!proving)
    for (const side of doubtful.keys()) {
      const [closed, forced] = [`${side} closed`, `${side} forced`];
      const beyond = (key: string) => (told.get(key) ?? 0) - (traded.get(key) ?? 0);
      const off = beyond(forced);
      if (off === 0 || beyond(closed) !== -off || Math.abs(off) > doubtful.get(side)!) continue;
      inferred += Math.abs(off);
      count(told)(closed, off);
      count(told)(forced, -off);
    }
  for (const key of isSumsAlone ? [] : new Set([...told.keys(), ...traded.keys()]))
    unlike(key, String(told.get(key) ?? 0), String(traded.get(key) ?? 0));

  const sum = (...names: CollateralSum[]) =>
    futures
      .collateralRecords()
      .reduce((all, { cumulative }) => names.reduce((some, name) => some.plus(cumulative[name]), all), ZERO)
      .toFixed();
  const posted = (reason: LedgerReason) => (entries.get(reason) ?? ZERO).toFixed();
  unlike('entries', [...entries.values()].reduce((all, amount) => all.plus(amount), ZERO).toFixed(), there.total.toFixed());
  // What was opened and closed again by orders that the journal lacks is known by its money alone.
  if (isSumsAlone) return { wrong, inferred };
  unlike('deposits', posted('deposit'), sum('deposit'));
  unlike('fees', posted('fee'), sum('fee', 'feeIncome'));
  unlike('funding', posted('funding'), sum('funding'));
  unlike('liquidation fees', posted('liquidationFee'), sum('liquidationFee', 'liquidationFeeIncome'));
  unlike('insurance', posted('insurance'), sum('transferIn'));
  unlike('unexplained', posted('unexplained'), '0');
  return { wrong, inferred };
}

function turnover(fill: Fill, forced: boolean): string {
  return `${sideOf(fill)} ${forced ? 'forced' : closes(fill) ? 'closed' : 'opened'}`;
}

function sideOf({ symbol, positionSide }: Fill): string {
  return `${symbol} ${positionSide}`;
}
