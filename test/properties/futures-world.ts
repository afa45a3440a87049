import { FuturesAccount } from '../../src/matching/futures/futures-account.ts';
import { MatchingEngine } from '../../src/matching/matching-engine.ts';
import type { VenueEvent } from '../../src/model/account-events.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { Instrument } from '../../src/model/instrument.ts';
import type { MarginSettings } from '../../src/model/margin.ts';
import { MARKET_EVENT_KINDS, type MarketEvent } from '../../src/model/market-events.ts';
import { HeldLevelsRelay } from '../../src/venues/simulated/feed-leg.ts';
import { replayWhole } from '../../src/venues/simulated/replay.ts';
import { SimulatedClock } from '../../src/venues/simulated/simulated-clock.ts';
import { SimulatedVenue } from '../../src/venues/simulated/simulated-venue.ts';
import { createSource } from '../../src/venues/simulated/sources.ts';
import { Timeline } from '../../src/venues/simulated/timeline.ts';
import { at, fillSettings, order, type Row, series } from '../builders.ts';
import { type FuturesCase, LIQUIDATION_FEE } from './futures-runs.ts';

const CAPABILITIES = {
  marketData: MARKET_EVENT_KINDS,
  marketBuyByQuantity: true,
  futuresTriggers: true,
  batchLimit: 10,
};
const millionths = (rate: bigint | number) => new Decimal(Number(rate)).div(1e6).toFixed();

/** Who watches a case as it runs. */
export interface Watcher {
  /** Before matching takes the event. */
  price?(event: MarketEvent): void;
  sent?(sent: SentOrder): void;
  told?(event: VenueEvent): void;
  reportedOpponent?(event: VenueEvent): void;
  /** Between two instants. */
  settled?(world: FuturesWorld): void;
}

export interface SentOrder {
  readonly id: string;
  readonly symbol: string;
  readonly side: 'long' | 'short';
  readonly closes: boolean;
  readonly quantity: number;
  /** The limit, or what stands. */
  readonly price: number;
  readonly triggered: boolean;
}

export interface FuturesWorld {
  readonly matching: MatchingEngine;
  readonly account: FuturesAccount;
  /** A second one at the same exchange, which does the opposite of everything. */
  readonly opponent: FuturesAccount;
  readonly instruments: readonly Instrument[];
}

/** Runs a case through matching, venue and timeline, without an engine. */
export function runCase(given: FuturesCase, watcher: Watcher = {}): FuturesWorld {
  const { settings } = given;
  const instruments = ['AAA-USDT-PERP', 'BBB-USDT-PERP'].map((symbol, index) => instrumentOf(given, symbol, index));
  const margin: MarginSettings = {
    mode: settings.isolated ? 'isolated' : 'shared',
    separated: settings.separated,
    longLeverage: new Decimal(Number(settings.leverage.long)),
    shortLeverage: new Decimal(Number(settings.leverage.short)),
    autoAppend: given.autoAppend,
  };
  const clock = new SimulatedClock();
  const held = new HeldLevelsRelay();
  const venue = new SimulatedVenue(CAPABILITIES, clock, { entryMs: 0, cancelMs: 0, responseMs: 0 }, held);
  const account = new FuturesAccount(venue.reply, () => margin);
  const opponents = new SimulatedVenue(CAPABILITIES, clock, { entryMs: 0, cancelMs: 0, responseMs: 0 }, held);
  const opponent = new FuturesAccount(opponents.reply, () => margin);
  const matching = new MatchingEngine({ instruments, onBars: false, settings: fillSettings(), held, pause: () => {} });
  const world: FuturesWorld = { matching, account, opponent, instruments };
  const last = new Map<string, number>();
  let time = Number.NaN;
  tap(matching, (event) => {
    // The first price of an instant: the one before it is over.
    if (failure !== undefined) throw failure.error;
    if (event.time > time) watcher.settled?.(world);
    time = event.time;
    if (event.kind === 'ticker') last.set(event.symbol, event.lastTicks);
    watcher.price?.(event);
  });
  venue.connect(matching, account);
  opponents.connect(matching, opponent);
  // rxjs would report what a subscriber throws, and go on.
  let failure: { readonly error: unknown } | undefined;
  venue.events$.subscribe((event) => {
    try {
      if (failure === undefined) watcher.told?.(event);
    } catch (error) {
      failure = { error };
    }
  });
  opponents.events$.subscribe((event) => watcher.reportedOpponent?.(event));
  const sources = (['ticker', 'mark', 'funding'] as const).flatMap((kind) => {
    const rows: readonly (readonly Row[])[] = kind === 'ticker' ? given.tickers : kind === 'mark' ? given.marks : given.funding;
    return instruments.flatMap((instrument, index) =>
      rows[index]!.length === 0
        ? []
        : [
            createSource(
              kind,
              instrument,
              series(kind, rows[index]!, kind === 'funding' ? { priceDecimals: 6 } : {}),
              Number.NEGATIVE_INFINITY,
              Number.POSITIVE_INFINITY,
            ),
          ],
    );
  });
  const timeline = new Timeline(clock, sources, matching, undefined);
  clock.advanceTo(timeline.startTime);
  for (const one of [venue, opponents]) one.deposit('futures', new Map([['USDT', new Decimal(given.deposit)]]));
  given.actions.forEach((action, index) => {
    clock.schedule(at(action.at), () => {
      const instrument = instruments[action.symbol]!;
      const { symbol } = instrument;
      const id = `o${index}`;
      if (action.do === 'cancel') {
        venue.cancel({ clientOrderId: `o${Math.floor(index / 2)}`, instrument, reason: 'requested' });
        return;
      }
      const stands = last.get(symbol)!;
      const closing = action.do === 'close';
      const { side, limit, trigger, force, quantity } = action;
      const priceTicks = limit === undefined ? undefined : stands + limit;
      const triggered = trigger !== undefined;
      watcher.sent?.({ id, symbol, side, closes: closing, quantity, price: priceTicks ?? stands, triggered });
      const sendTo = (to: SimulatedVenue, positionSide: 'long' | 'short') =>
        to.submit([
          order({
            clientOrderId: id,
            instrument,
            side: (positionSide === 'long') === closing ? 'sell' : 'buy',
            positionSide,
            reduceOnly: closing,
            priceTicks,
            triggerTicks: triggered ? stands + trigger : undefined,
            timeInForce: triggered ? 'GTC' : force,
            steps: quantity,
          }),
        ]);
      sendTo(venue, side);
      sendTo(opponents, side === 'long' ? 'short' : 'long');
    });
  });
  replayWhole(timeline, { next() {} });
  if (failure !== undefined) throw failure.error;
  return world;
}

function instrumentOf({ settings }: FuturesCase, symbol: string, index: number): Instrument {
  const tiers = settings.maintenance.map(({ upTo, rate }) => ({
    upTo: upTo === undefined ? undefined : String(upTo),
    maintenance: millionths(rate),
  }));
  return new Instrument(index, {
    symbol,
    tickSize: '1',
    stepSize: '1',
    makerFee: millionths(settings.makerFee),
    takerFee: millionths(settings.takerFee),
    contract: { value: '1', tiers, liquidationFee: millionths(LIQUIDATION_FEE), triggerBy: 'last' },
  });
}

/** Looks at every price before matching does. */
function tap(matching: MatchingEngine, look: (event: MarketEvent) => void): void {
  const onTicker = matching.onTicker.bind(matching);
  const onMark = matching.onMark.bind(matching);
  matching.onTicker = (ticker) => {
    look(ticker);
    onTicker(ticker);
  };
  matching.onMark = (mark) => {
    look(mark);
    onMark(mark);
  };
}
