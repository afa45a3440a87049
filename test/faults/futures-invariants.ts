import type { CollateralSum } from '../../src/matching/futures/records.ts';
import type { AccountEvent } from '../../src/model/account-events.ts';
import { type Decimal, ZERO } from '../../src/model/decimal.ts';
import type { LedgerReason } from '../../src/model/ledger.ts';
import { closes } from '../../src/model/order.ts';
import type { Liar } from './liar.ts';
import type { Life, World } from './world.ts';

/**
 * Positions, every fill, and every sum of money, as the exchange has them.
 * @param twins orders that nothing tells apart, with all of their set.
 * @param isSumsAlone orders are missing in the journal: what each was is nobody's, and only the sums can be right.
 * @param liar what a lie made unexplained is explained again once it is over.
 * @param isSaid what is apart of that symbol, or of any, has halted.
 */
export function checkFutures(
  world: World,
  life: Life,
  twins: ReadonlyMap<string, readonly string[]>,
  isSumsAlone = false,
  liar?: Pick<Liar, 'idOf' | 'isThere'>,
  isSaid: (symbol?: string) => boolean = () => false,
): string[] {
  const wrong: string[] = [];
  const { state } = life.bot;
  const { futures, orders } = world.account;
  const unlike = (what: string, here: string, there: string, symbol?: string) => {
    if (here !== there && !isSaid(symbol)) wrong.push(`${what}: ${here} here, ${there} there`);
  };
  for (const instrument of world.instruments) {
    if (instrument.contract === undefined) continue;
    for (const side of ['long', 'short'] as const) {
      const there = futures.heldSteps(instrument, side);
      unlike(`${instrument.symbol} ${side}`, String(Math.abs(state.position(instrument, side).steps)), String(there), instrument.symbol);
    }
  }
  const there = futures.ledger.balance('USDT');
  const here = state.portfolio.balance('USDT', 'futures');
  unlike('futures USDT', here.total.toFixed(), there.total.toFixed());
  // One that was sent when nobody traded any more binds what a taker's price was then, which nothing shows. A real one does not wait.
  const waits = orders.live.some(({ request, createdTime }) => {
    return request.type === 'market' && !closes(request) && request.positionSide !== 'net' && createdTime >= world.restsFrom;
  });
  if (!waits) unlike('futures USDT frozen', here.frozen.toFixed(), there.frozen.toFixed());

  const entries = new Map<LedgerReason, Decimal>();
  const known = (clientOrderId: string) => twins.get(clientOrderId)?.join(' or ') ?? clientOrderId;
  /** Whose each fill was, as told: a client id, or `forced`. */
  const told = new Map<string, string>();
  const isLying = liar?.isThere === true;
  /** Steps that nobody's fills explain, by contract and side. */
  const found = new Map<string, number>();
  for (const { kind, value } of life.journal.records()) {
    if (kind !== 'event') continue;
    const { event } = value as { readonly event: AccountEvent };
    if (event.kind === 'balanceChanged' && event.balance.wallet === 'futures' && event.entry !== undefined) {
      const { reason, amount } = event.entry;
      entries.set(reason, (entries.get(reason) ?? ZERO).plus(amount));
    }
    if (event.kind === 'positionFound' && !isSumsAlone) {
      const { instrument, positionSide, action, steps } = event;
      const side = `${instrument.symbol} ${positionSide}`;
      if (isLying) found.set(side, (found.get(side) ?? 0) + (action === 'opened' ? steps : -steps));
      else if (!isSaid(instrument.symbol)) wrong.push(`${steps} steps of ${instrument.symbol} ${action} by nobody`);
    }
    if (event.kind !== 'orderFilled' && event.kind !== 'positionLiquidated') continue;
    const { fill } = event;
    if (fill.instrument.contract === undefined || (event.kind === 'orderFilled' && fill.tag === 'liquidation')) continue;
    const fillId = liar?.idOf(fill.instrument, fill.fillId) ?? fill.fillId;
    if (told.has(fillId) && !isSaid(fill.instrument.symbol)) wrong.push(`fill ${fillId} was told twice`);
    told.set(fillId, `${event.kind === 'orderFilled' ? known(event.clientOrderId) : 'forced'} ${fill.steps}`);
  }
  for (const [side, steps] of found) unlike(`steps of ${side} by nobody`, String(steps), '0');
  for (const { fillId, fill, order } of isSumsAlone ? [] : orders.fills) {
    if (fill.instrument.contract === undefined) continue;
    unlike(
      `fill ${fillId}`,
      told.get(fillId) ?? 'not told',
      `${order.clientOrderId === '' ? 'forced' : known(order.clientOrderId)} ${fill.steps}`,
      fill.instrument.symbol,
    );
    told.delete(fillId);
  }
  if (!isSumsAlone && !isSaid()) for (const fillId of told.keys()) wrong.push(`fill ${fillId} was told, and the exchange does not have it`);

  const sum = (...names: CollateralSum[]) =>
    futures
      .collateralRecords()
      .reduce((all, { cumulative }) => names.reduce((some, name) => some.plus(cumulative[name]), all), ZERO)
      .toFixed();
  const posted = (reason: LedgerReason) => (entries.get(reason) ?? ZERO).toFixed();
  unlike('entries', [...entries.values()].reduce((all, amount) => all.plus(amount), ZERO).toFixed(), there.total.toFixed());
  // What was opened and closed again by orders that the journal lacks is known by its money alone.
  if (isSumsAlone) return wrong;
  if (isLying) {
    // The first picture may have been a lie, and a bill of what it had may explain a later one.
    const money = (['deposit', 'transfer', 'unexplained'] as const).reduce((all, reason) => all.plus(entries.get(reason) ?? ZERO), ZERO);
    unlike('deposits', money.toFixed(), sum('deposit'));
  } else {
    unlike('deposits', posted('deposit'), sum('deposit'));
    unlike('unexplained', posted('unexplained'), '0');
  }
  unlike('fees', posted('fee'), sum('fee', 'feeIncome'));
  unlike('funding', posted('funding'), sum('funding'));
  unlike('liquidation fees', posted('liquidationFee'), sum('liquidationFee', 'liquidationFeeIncome'));
  unlike('insurance', posted('insurance'), sum('transferIn'));
  return wrong;
}
