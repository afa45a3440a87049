import type { Here } from './here.ts';
import type { There } from './there.ts';

/** Lays the bot's journal beside the exchange's file, both processes gone. @returns what is wrong. */
export function check(here: Here, there: There): string[] {
  return [...orders(here, there), ...fills(here, there), ...money(here, there), ...positions(here, there), ...ends(here)];
}

function orders({ submitted, requested, filled, ends: ended }: Here, { account, arrived }: There): string[] {
  const wrong: string[] = [];
  const counts = new Map<string, number>();
  for (const [id, times] of requested) if (times > 1) wrong.push(`${id} was sent ${times} times`);
  for (const id of new Set(arrived)) {
    if (!submitted.has(id)) wrong.push(`${id} arrived at the exchange, and the journal does not know it`);
    if (!requested.has(id)) wrong.push(`${id} arrived at the exchange, and the journal knows no request of it`);
  }
  for (const entry of account.orders.all) {
    const { clientOrderId: id } = entry;
    // Liquidations have no client id.
    if (id === '') continue;
    counts.set(id, (counts.get(id) ?? 0) + 1);
    const steps = entry.fills.reduce((sum, { fill }) => sum + fill.steps, 0);
    if ((filled.get(id) ?? 0) !== steps) wrong.push(`${id}: ${filled.get(id) ?? 0} steps filled here, ${steps} there`);
    if (entry.end === undefined) wrong.push(`${id} is ${ended.get(id) ?? 'open'} here, open there`);
    // A close that the position was too small for ends filled in part.
    else if ((ended.get(id) === 'filled') !== (entry.end.how === 'filled') && !(entry.request?.reduceOnly && steps > 0))
      wrong.push(`${id}: ${ended.get(id)} here, ${entry.end.how} there`);
    else if (ended.get(id) === 'orderRejected' || ended.get(id) === 'orderDenied') {
      // What is at the exchange was not refused; post-only orders that would take are there and canceled.
      if (steps > 0) wrong.push(`${id} is refused here and filled there`);
    }
  }
  for (const [id, times] of counts) if (times > 1) wrong.push(`${id} is at the exchange ${times} times`);
  for (const id of filled.keys()) if (!counts.has(id)) wrong.push(`${id} is filled here and not at the exchange`);
  for (const id of submitted) if (!ended.has(id)) wrong.push(`${id} has not ended here`);
  return wrong;
}

function fills({ fills: counted }: Here, { account }: There): string[] {
  const wrong: string[] = [];
  // The exchange gives futures fills no id: their orders are compared.
  const spot = account.orders.fills.filter(({ fill }) => fill?.instrument.contract === undefined);
  for (const { fillId } of spot) {
    const times = counted.get(fillId) ?? 0;
    if (times !== 1) wrong.push(`fill ${fillId} was counted ${times} times`);
  }
  if (counted.size !== spot.length) wrong.push(`${counted.size} fills here, ${spot.length} there`);
  return wrong;
}

function money({ state }: Here, { account, coins, instruments }: There): string[] {
  const trades = (wallet: 'spot' | 'futures') => instruments.some(({ contract }) => (contract === undefined) === (wallet === 'spot'));
  return (['spot', 'futures'] as const).filter(trades).flatMap((wallet) =>
    coins.flatMap((coin) => {
      const here = state.portfolio.balance(coin, wallet);
      const there = account[wallet].ledger.balance(coin);
      const figures = [
        ['total', here.total, there.total],
        ['frozen', here.frozen, there.frozen],
      ] as const;
      return figures
        .filter(([, ours, theirs]) => !ours.equals(theirs))
        .map(([what, ours, theirs]) => `${wallet === 'spot' ? '' : 'futures '}${coin} ${what}: ${ours} here, ${theirs} there`);
    }),
  );
}

function positions({ state }: Here, { account, instruments }: There): string[] {
  return instruments
    .filter(({ contract }) => contract !== undefined)
    .flatMap((instrument) =>
      (['long', 'short'] as const).flatMap((side) => {
        const [here, there] = [Math.abs(state.position(instrument, side).steps), account.futures.heldSteps(instrument, side)];
        return here === there ? [] : [`${instrument.symbol} ${side}: ${here} steps here, ${there} there`];
      }),
    );
}

function ends({ state, halts, unexplained }: Here): string[] {
  return [
    ...[...state.openOrders.values()].map(({ clientOrderId, status }) => `${clientOrderId} is still ${status}`),
    ...halts.map((halt) => `halted: ${halt}`),
    ...unexplained.map((entry) => `unexplained: ${entry}`),
    ...[...state.latches.keys()].map((rule) => `latched: ${rule}`),
  ];
}
