import { Subject } from 'rxjs';
import { Engine } from '../../src/engine/engine.ts';
import type { HeldSnapshot } from '../../src/engine/held/held-memory.ts';
import type { LostExit } from '../../src/engine/held/held-order.ts';
import { ClientIds } from '../../src/engine/orders/client-ids.ts';
import { OrderBuilder } from '../../src/engine/orders/order-builder.ts';
import type { AccountEvent, VenueEvent } from '../../src/model/account-events.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { Fill } from '../../src/model/fill.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import type { Intent } from '../../src/model/intents.ts';
import { Bar, Funding, Mark, Quote, Ticker } from '../../src/model/market-events.ts';
import { type ApprovedOrder, closes, type LiquidationType } from '../../src/model/order.ts';
import type { CancelReason, Rejection } from '../../src/model/reasons.ts';
import type { ExecutionVenue, HeldLevels, VenueCapabilities } from '../../src/ports/execution-venue.ts';
import { type FeedItem, SETTLED } from '../../src/ports/market-feed.ts';
import { RiskGate } from '../../src/risk/gate.ts';
import type { RiskLimits } from '../../src/risk/limits.ts';
import type { State } from '../../src/state/state.ts';
import { balance, futures, type MarginOptions, PERP } from '../state/builders.ts';
import { type Script, type Scripted, strategy, T0 } from './builders.ts';

export interface BenchOptions {
  readonly capabilities?: Partial<VenueCapabilities>;
  readonly instruments?: readonly Instrument[];
  readonly margin?: MarginOptions;
  readonly limits?: Partial<RiskLimits>;
  readonly exitsWaitForNextBar?: boolean;
  readonly closeAtEnd?: boolean;
  readonly lostExit?: LostExit;
  /** Where an earlier engine stopped, with the state that it left and its next client id. */
  readonly after?: { readonly state: State; readonly held: HeldSnapshot; readonly nextId: number };
  /** What gives client ids, where these are not to be the bench's own. */
  readonly ids?: ClientIds;
  /** What the start finds: told before the engine runs. */
  readonly early?: (bench: FuturesBench) => void;
  /** The strategy `s` is the only one. */
  readonly alone?: boolean;
  /** Hooks of the first strategy beside what the test makes it want. */
  readonly script?: Script;
}

/**
 * An engine with the strategies `s` and `t` on a futures account, before a venue that does what the test says: it
 * accepts every order and every cancel unless told to be silent, and fills, triggers and refuses on demand.
 */
export class FuturesBench {
  /** What reached the venue, in words, since it was last looked at. */
  #sent: string[] = [];
  readonly events: AccountEvent[] = [];
  readonly state: State;
  readonly engine: Engine;
  readonly orders = new Map<string, ApprovedOrder>();
  readonly strategies: Scripted[] = [];
  held: HeldLevels | undefined;
  silent = false;
  time = T0;
  sequence = 0;
  readonly #feed = new Subject<FeedItem>();
  readonly #venue = new Subject<VenueEvent>();
  readonly #done: Promise<void>;
  readonly #wishes = new Map<string, readonly Intent[]>();
  #scheduled: { readonly time: number; readonly run: () => void }[] = [];
  #fills = 0;

  constructor(options: BenchOptions = {}) {
    const { instruments = [PERP], limits = {}, capabilities = {}, script = {}, after } = options;
    this.state = after?.state ?? futures(options.margin, instruments, {});
    const state = this.state;
    const clock = {
      now: () => this.time,
      schedule: (time: number, run: () => void) => {
        const one = { time, run };
        this.#scheduled.push(one);
        return () => {
          this.#scheduled = this.#scheduled.filter((other) => other !== one);
        };
      },
    };
    const all: VenueCapabilities = { marketData: [], marketBuyByQuantity: true, futuresTriggers: true, batchLimit: 10 };
    const venue: ExecutionVenue = {
      capabilities: { ...all, ...capabilities },
      events$: this.#venue,
      submit: (orders) => {
        for (const order of orders) this.#submitted(order);
      },
      cancel: ({ clientOrderId, reason }) => {
        this.#sent.push(`cancel ${nameOf(clientOrderId)} ${reason}`);
        if (!this.silent) this.#venue.next({ kind: 'orderCanceled', time: this.time, clientOrderId, reason });
      },
      watchHeld: (levels) => {
        this.held = levels;
      },
    };
    const log = { debug() {}, info() {}, warn() {} };
    const symbols = instruments.map(({ symbol }) => symbol);
    const wishing = (id: string): Script => ({
      ...(id === 's' ? script : {}),
      symbols,
      made: (me) => this.strategies.push(me),
      onTimer: () => this.#wishes.get(id)!,
    });
    this.engine = new Engine({
      state,
      strategies: (options.alone ? ['s'] : ['s', 't']).map((id) =>
        strategy(id, wishing(id)).create({ id, symbols, params: {}, state, log, now: clock.now, history: () => [] }),
      ),
      gate: new RiskGate({ state, limits: { maxPosition: new Map(), ...limits } }),
      builder: new OrderBuilder(state, venue.capabilities, options.ids ?? new ClientIds('t', { from: after?.nextId }), new Decimal('0.05')),
      venue,
      clock,
      journal: { intent() {}, event: (_, event) => this.events.push(event), commit() {} },
      bars: { from: 'ticker', intervals: instruments.map(() => []), graceMs: 0 },
      exitsWaitForNextBar: options.exitsWaitForNextBar ?? false,
      closeAtEnd: options.closeAtEnd ?? false,
      lostExit: options.lostExit,
      resume: after && { held: after.held, saves: new Map() },
    });
    options.early?.(this);
    this.#done = this.engine.run({ events$: this.#feed });
    if (after === undefined) balance(state, 'USDT', '1000000');
  }

  /** What has reached the venue since the last look. */
  get sent(): string[] {
    const sent = this.#sent;
    this.#sent = [];
    return sent;
  }
  /** Refusals so far, as `strategy code`. */
  get denied(): string[] {
    return this.events.flatMap((event) => (event.kind === 'orderDenied' ? [`${event.strategyId} ${event.reason.code}`] : []));
  }
  get rules(): string[] {
    return this.events.flatMap((event) =>
      event.kind === 'orderDenied' && event.reason.code === 'orderInvalid' ? [event.reason.rule] : [],
    );
  }
  /** What happened to an order, oldest first. */
  story(name: string): string[] {
    return this.events.flatMap((event) => {
      if (!('clientOrderId' in event) || nameOf(event.clientOrderId) !== name) return [];
      return [event.kind === 'orderCanceled' || event.kind === 'orderExpired' ? `${event.kind} ${event.reason}` : event.kind];
    });
  }
  position(id: string, of = this.state.instruments[0]!): number[] {
    const book = this.state.books.get(id)!;
    return [book.position(of, 'long').steps, book.position(of, 'short').steps];
  }

  price(ticks: number, of = this.state.instruments[0]!): void {
    this.#feed.next(new Ticker(of, this.time, ++this.sequence, ticks));
  }
  quote(bid: number, ask: number, of = this.state.instruments[0]!): void {
    this.#feed.next(new Quote(of, this.time, ++this.sequence, bid, ask, 1, 1));
  }
  mark(ticks: number, of = this.state.instruments[0]!): void {
    this.#feed.next(new Mark(of, this.time, ++this.sequence, ticks, 0));
  }
  /** Matching stands here inside a bar. */
  instant(priceTicks: number, of = this.state.instruments[0]!): void {
    this.#feed.next({ kind: 'priceInstant', instrument: of, time: this.time, sequence: this.sequence + 1, priceTicks });
  }
  /** A minute bar closes now. */
  bar(close: number, of = this.state.instruments[0]!): void {
    this.#feed.next(new Bar(of, this.time, ++this.sequence, 60_000, close, close, close, close, 1));
  }
  funding(rate: string, of = this.state.instruments[0]!): void {
    this.#feed.next(new Funding(of, this.time, ++this.sequence, new Decimal(rate)));
  }

  /** Lets a strategy want this, at once. */
  want(intents: Intent | readonly Intent[], id = 's'): void {
    this.#wishes.set(id, Array.isArray(intents) ? (intents as readonly Intent[]) : [intents as Intent]);
    const fired: AccountEvent = { kind: 'timerFired', time: this.time, strategyId: id, name: 'want' };
    this.tell(fired as never);
  }

  accepted(name: string): void {
    this.tell({ kind: 'orderAccepted', time: this.time, clientOrderId: idOf(name), orderId: `v${name}`, held: false });
  }
  triggered(name: string, priceTicks: number): void {
    this.tell({ kind: 'orderTriggered', time: this.time, clientOrderId: idOf(name), priceTicks });
  }
  canceled(name: string, reason: CancelReason = 'requested'): void {
    this.tell({ kind: 'orderCanceled', time: this.time, clientOrderId: idOf(name), reason });
  }
  cancelRejected(name: string): void {
    this.tell({ kind: 'cancelRejected', time: this.time, clientOrderId: idOf(name) });
  }
  rejected(name: string, reason: Rejection = { code: 'nothingToClose', positionSide: 'long', position: '0' }): void {
    this.tell({ kind: 'orderRejected', time: this.time, clientOrderId: idOf(name), reason });
  }
  fill(name: string, steps: number, ticks: number): void {
    const order = this.orders.get(name)!;
    const { instrument, side, positionSide, strategyId, clientOrderId, tag } = order;
    const notional = instrument.notional(ticks, steps);
    const before = this.state.order(clientOrderId)!.filledSteps;
    const [fee, asset] = [new Decimal(0), 'USDT'];
    const ids = [`f${++this.#fills}`, `v${name}`, clientOrderId, strategyId] as const;
    const rest = [notional, fee, asset, 'taker', tag, this.time, 1, this.sequence, this.time] as const;
    const fill = new Fill(...ids, instrument, side, positionSide, ticks, steps, ...rest);
    this.tell({ kind: 'orderFilled', time: this.time, clientOrderId, fill, complete: before + steps === order.steps });
  }
  liquidated(positionSide: 'long' | 'short', steps: number, ticks: number, fee = '0', type: LiquidationType = 'burstLiquidation'): void {
    const of = this.state.instruments[0]!;
    const side = positionSide === 'long' ? 'sell' : 'buy';
    const orderId = `l${++this.#fills}`;
    const rest = [of.notional(ticks, steps), new Decimal(fee), 'USDT', 'taker', 'liquidation', this.time, 1, 1, 1] as const;
    const fill = new Fill(`f${this.#fills}`, orderId, '', '', of, side, positionSide, ticks, steps, ...rest);
    this.tell({ kind: 'positionLiquidated', time: this.time, orderId, type, fill });
  }
  /** Something the venue tells, and the engine's turn. */
  tell(...events: VenueEvent[]): void {
    for (const event of events) this.#venue.next(event);
    this.#feed.next(SETTLED);
  }
  /** Several things that the venue tells in one instant. */
  together(act: () => void): void {
    const next = this.#feed.next.bind(this.#feed);
    this.#feed.next = () => {};
    act();
    this.#feed.next = next;
    this.#feed.next(SETTLED);
  }

  wait(ms: number): void {
    const until = this.time + ms;
    for (;;) {
      const due = this.#scheduled.filter(({ time }) => time <= until).sort((x, y) => x.time - y.time)[0];
      if (due === undefined) break;
      this.#scheduled = this.#scheduled.filter((other) => other !== due);
      this.time = due.time;
      due.run();
    }
    this.time = until;
  }

  kill(flatten: boolean): void {
    this.#feed.next({ kind: 'command', command: 'kill', flatten, reason: 'by hand' });
    this.#feed.next(SETTLED);
  }
  ending(): void {
    this.#feed.next({ kind: 'ending' });
  }
  async end(): Promise<void> {
    this.#feed.complete();
    await this.#done;
  }

  #submitted(order: ApprovedOrder): void {
    const name = nameOf(order.clientOrderId);
    this.orders.set(name, order);
    this.#sent.push(`${name} ${inWords(order)}`);
    if (!this.silent)
      this.#venue.next({ kind: 'orderAccepted', time: this.time, clientOrderId: order.clientOrderId, orderId: `v${name}`, held: false });
  }
}

/** `open long 5 market`, `close short 3 limit@90 when 95`. */
function inWords(order: ApprovedOrder): string {
  const { positionSide, steps, type, priceTicks, triggerTicks, fromNextBar, timeInForce, reduceOnly, tag } = order;
  const price = priceTicks === undefined ? '' : `@${priceTicks}`;
  const when = triggerTicks === undefined ? '' : ` when ${triggerTicks}`;
  const words = `${closes(order) ? 'close' : 'open'} ${positionSide} ${steps} ${type}${price}${when}`;
  const rest = [fromNextBar ? 'from next bar' : '', timeInForce === 'GTC' ? '' : timeInForce, tag === '' ? '' : `(${tag})`];
  return [words, ...rest, reduceOnly === closes(order) ? '' : 'WRONG'].filter((word) => word !== '').join(' ');
}

const nameOf = (clientOrderId: string) => clientOrderId.replace(/^t-/, '');
const idOf = (name: string) => (name.startsWith('liq-') ? name : `t-${name}`);
