import { NettingAccount } from '../../../src/matching/accounts/netting-account.ts';
import { SpotAccount } from '../../../src/matching/accounts/spot-account.ts';
import { MatchingEngine } from '../../../src/matching/matching-engine.ts';
import type { VenueEvent } from '../../../src/model/account-events.ts';
import { Decimal } from '../../../src/model/decimal.ts';
import { MARKET_EVENT_KINDS } from '../../../src/model/market-events.ts';
import { HeldLevelsRelay } from '../../../src/venues/simulated/feed-leg.ts';
import { replayWhole } from '../../../src/venues/simulated/replay.ts';
import { SimulatedClock } from '../../../src/venues/simulated/simulated-clock.ts';
import { SimulatedVenue } from '../../../src/venues/simulated/simulated-venue.ts';
import { createSource } from '../../../src/venues/simulated/sources.ts';
import { Timeline } from '../../../src/venues/simulated/timeline.ts';
import { at, fillSettings, instrument, order, series } from '../../builders.ts';
import { type ConformanceRow, isAmend, isCancel, type Outcome } from '../row.ts';
import { endText, fillText } from './outcome.ts';

/** Matching behind the simulated venue and timeline, without an engine: what is sent arrives unreviewed. */
export async function matchingDoor(row: ConformanceRow): Promise<Outcome> {
  const traded = instrument({ makerFee: row.makerFee, takerFee: row.takerFee });
  const clock = new SimulatedClock();
  const held = new HeldLevelsRelay();
  const { entryMs = 0, cancelMs = 0, responseMs = 0 } = row;
  const capabilities = {
    marketData: MARKET_EVENT_KINDS,
    marketBuyByQuantity: true,
    futuresTriggers: true,
    batchLimit: 10,
  };
  const venue = new SimulatedVenue(capabilities, clock, { entryMs, cancelMs, responseMs }, held);
  const account = row.account === 'spot' ? new SpotAccount(venue.reply) : new NettingAccount(venue.reply);
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
    return rows === undefined ? [] : [createSource(kind, traded, series(kind, rows), Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)];
  });
  const timeline = new Timeline(clock, sources, matching, undefined);
  clock.advanceTo(timeline.startTime);
  venue.deposit(
    'spot',
    new Map(Object.entries(row.balances ?? { USDT: '1000000' }).map(([asset, amount]) => [asset, new Decimal(amount)])),
  );
  for (const step of row.steps) {
    if (isAmend(step)) throw new Error('matching alone changes no orders');
    clock.schedule(at(step.at), () => {
      if (isCancel(step)) {
        venue.cancel({ clientOrderId: step.cancel, instrument: traded, reason: 'requested' });
        return;
      }
      const { id, side, quantity = 1, quoteQuantity, price, timeInForce = 'GTC', postOnly = false } = step;
      const size =
        quoteQuantity === undefined ? { steps: Number(quantity) } : { steps: undefined, quoteQuantity: new Decimal(quoteQuantity) };
      venue.submit([order({ clientOrderId: id, tag: id, instrument: traded, side, priceTicks: price, timeInForce, postOnly, ...size })]);
    });
  }
  replayWhole(timeline, { next() {} });
  return {
    fills: events.flatMap((event) => (event.kind === 'orderFilled' ? [fillText(event.fill)] : [])),
    ends: events.map((event) => endText(event, (id) => id)).filter((text) => text !== undefined),
    pathFills: matching.pathFills,
    unguardedBars: matching.unguardedBars,
    narrowTrailBars: matching.narrowTrailBars,
    totals: Object.fromEntries(account.balances.map(({ asset, total }) => [asset, total.toFixed()])),
  };
}
