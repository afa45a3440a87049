import type { Exits, Intent } from '../../src/model/intents.ts';
import type { Random } from '../../src/model/random.ts';
import { cancel, place, protect } from '../../src/strategy/intents.ts';
import { changed, MixedTrader } from './mixed-trader.ts';

/** How far around the last price limits and triggers lie, as a share of it. */
const REACH = 0.0015;

/** As the mixed trader, on contracts: opens and closes long and short side by side, with triggers of all kinds. */
export class ContractTrader extends MixedTrader {
  protected override act(symbol: string, random: Random): Intent[] {
    if (!symbol.endsWith('-PERP')) return super.act(symbol, random);
    const last = this.market(symbol).last ?? Number.NaN;
    const draw = random.uniform();
    const open = this.orders(symbol);
    if (!(last > 0)) return [];
    if (draw < 0.08) return [cancel({ symbol })];
    if (draw < 0.14) return open.slice(0, 2).map(({ clientOrderId, ref }) => cancel(ref === '' ? { clientOrderId } : { ref }));
    if (draw < 0.2) return open.slice(0, 2).map((order) => changed(order, last, random));
    const positionSide = random.uniform() < 0.5 ? 'long' : 'short';
    const held = Math.abs(this.position(symbol, positionSide).quantity);
    const unit = symbol.startsWith('BTC') ? 0.04 : 0.8;
    const opens = held < 0.0001 || random.uniform() < (held > 2 * unit ? 0.2 : 0.5);
    const side = opens === (positionSide === 'long') ? 'buy' : 'sell';
    const up = side === 'buy' ? 1 : -1;
    // More than there is margin for, less than a step, and a time in force that triggers lack: risk says no.
    if (draw < 0.23) return [place({ symbol, side: 'buy', positionSide: 'long', type: 'limit', price: last, quantity: '1000' })];
    if (draw < 0.25) return [place({ symbol, side, positionSide, type: 'market', quantity: '0.00000001' })];
    const tag = `t${Math.floor(draw * 100)}`;
    const whole = !opens && random.uniform() < 0.5;
    const quantity = whole ? held.toFixed(4) : (0.001 + random.uniform() * unit).toFixed(4);
    const order = { symbol, side, positionSide, quantity, tag, ref: `r${Math.floor(draw * 30)}` } as const;
    if (draw < 0.27) return [place({ ...order, type: 'limit', price: last, timeInForce: 'IOC' })];
    if (draw < 0.33 && !opens) {
      const stop = random.uniform() < 0.5 ? { stopLoss: last * (1 + up * 0.001) } : { trailBy: last * 0.001 };
      return [protect({ symbol, side, quantity: held, ...stop, takeProfit: last * (1 - up * 0.001) })];
    }
    const which = random.uniform();
    const exits = opens && random.uniform() < 0.3 ? exitsOf(which, last, up) : undefined;
    if (draw < 0.5) return [place({ ...order, type: 'market', exits })];
    if (draw < 0.72) return [place({ ...order, type: 'limit', price: last * (1 + (random.uniform() - 0.5) * 2 * REACH), exits })];
    const stopPrice = last * (1 + up * random.uniform() * REACH);
    if (draw < 0.88) return [place({ ...order, type: 'stop', stopPrice, exits })];
    return [place({ ...order, type: 'stopLimit', stopPrice, price: stopPrice * (1 + up * (random.uniform() - 0.3) * 0.001) })];
  }
}

/** Exits at prices or relative to the fill, with a take profit that waits or rests. @param up 1 of a long, -1 of a short. */
function exitsOf(which: number, last: number, up: number): Exits {
  const target = last * (1 + up * 0.0015);
  if (which < 0.25) return { stopLoss: last * (1 - up * 0.0015), takeProfit: target };
  if (which < 0.5) return { stopLoss: { percent: 0.15 }, takeProfit: { percent: 0.15 } };
  if (which < 0.75) return { trailBy: last * 0.001, takeProfit: target };
  return { trail: { percent: 0.1 }, takeProfit: { percent: 0.15, maker: true } };
}
