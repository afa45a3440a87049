import { FuturesAccount } from '../../../../src/matching/futures/futures-account.ts';
import { MatchingEngine } from '../../../../src/matching/matching-engine.ts';
import type { VenueEvent } from '../../../../src/model/account-events.ts';
import { Decimal } from '../../../../src/model/decimal.ts';
import { MARKET_EVENT_KINDS } from '../../../../src/model/market-events.ts';
import { HeldLevelsRelay } from '../../../../src/venues/simulated/feed-leg.ts';
import { replayWhole } from '../../../../src/venues/simulated/replay.ts';
import { SimulatedClock } from '../../../../src/venues/simulated/simulated-clock.ts';
import { SimulatedVenue } from '../../../../src/venues/simulated/simulated-venue.ts';
import { createSource } from '../../../../src/venues/simulated/sources.ts';
import { Timeline } from '../../../../src/venues/simulated/timeline.ts';
import { at, fillSettings, order, series } from '../../../builders.ts';
import { type FuturesOutcome, type FuturesRow, isCancel } from '../row.ts';
import { eventText } from './outcome.ts';
import { marginOf, perpetual, SYMBOL, seriesOptions } from './setting.ts';

const CAPABILITIES = {
  marketData: MARKET_EVENT_KINDS,
  marketBuyByQuantity: true,
  futuresTriggers: true,
  batchLimit: 10,
};

/** Matching behind the simulated venue and timeline, without an engine: what is sent arrives unreviewed. */
export async function matchingDoor(row: FuturesRow): Promise<FuturesOutcome> {
  const traded = perpetual(row);
  const clock = new SimulatedClock();
  const held = new HeldLevelsRelay();
  const venue = new SimulatedVenue(CAPABILITIES, clock, { entryMs: 0, cancelMs: 0, responseMs: 0 }, held);
  const account = new FuturesAccount(venue.reply, () => marginOf(row));
  const matching = new MatchingEngine({
    instruments: [traded],
    onBars: row.data.bar !== undefined,
    settings: fillSettings(row.fills),
    held,
    pause: () => {},
  });
  venue.connect(matching, account);
  const events: VenueEvent[] = [];
  venue.events$.subscribe((event) => events.push(event));
  const sources = MARKET_EVENT_KINDS.flatMap((kind) => {
    const rows = row.data[kind];
    if (rows === undefined) return [];
    return [createSource(kind, traded, series(kind, rows, seriesOptions(kind)), Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)];
  });
  const timeline = new Timeline(clock, sources, matching, undefined);
  clock.advanceTo(timeline.startTime);
  venue.deposit('futures', new Map([['USDT', new Decimal(row.deposit)]]));
  for (const step of row.steps) {
    clock.schedule(at(step.at), () => {
      if (isCancel(step)) {
        venue.cancel({ clientOrderId: step.cancel, instrument: traded, reason: 'requested' });
        return;
      }
      const { id, open, close, quantity = 1, price, trigger, fromNextBar = false, timeInForce = 'GTC', postOnly = false } = step;
      const positionSide = (open ?? close)!;
      venue.submit([
        order({
          clientOrderId: id,
          tag: id,
          instrument: traded,
          side: (positionSide === 'long') === (open !== undefined) ? 'buy' : 'sell',
          positionSide,
          reduceOnly: close !== undefined,
          priceTicks: price,
          triggerTicks: trigger,
          fromNextBar,
          timeInForce,
          postOnly,
          steps: quantity,
        }),
      ]);
    });
  }
  replayWhole(timeline, { next() {} });
  const { total, frozen } = [...account.ledger.balances].find(({ asset }) => asset === 'USDT')!;
  const steps = (side: 'long' | 'short') => matching.positions(account, SYMBOL, side).reduce((sum, position) => sum + position.steps, 0);
  return {
    events: events.map((event) => eventText(event, (id) => id)).filter((text) => text !== undefined),
    total: total.toFixed(),
    frozen: frozen.toFixed(),
    held: { long: steps('long'), short: steps('short') },
    insurance: matching.insuranceFund('USDT').toFixed(),
  };
}
