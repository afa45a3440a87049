import type { Engine } from '../../../engine/engine.ts';
import type { AccountEvent, OrderDenied } from '../../../model/account-events.ts';
import type { Side } from '../../../model/order.ts';
import { isoTime } from '../../../model/time.ts';
import type { Log } from '../../../ports/log.ts';
import type { State } from '../../../state/state.ts';
import type { BotLog } from '../../terminal/bot-log.ts';

const REFUSED = 'the order was refused, and the bot does not try again';

/** Logs exactly one line for each event of an order (except denials), of a latch and of health. Balances are only in the journal. */
export function logEvent(event: AccountEvent, state: State, log: Omit<BotLog, 'close'>): void {
  const { kind } = event;
  switch (kind) {
    case 'orderFilled': {
      const { fill, clientOrderId, complete } = event;
      const { symbol, side, instrument, steps, priceTicks, fee, feeAsset, strategyId, tag } = fill;
      const figures = {
        quantity: instrument.step.toText(steps),
        price: instrument.tick.toText(priceTicks),
        fee: `${fee.toFixed()} ${feeAsset}`,
      };
      log.info(kind, {
        clientOrderId,
        strategyId,
        symbol,
        side,
        ...figures,
        complete,
        ...named(tag, fill.ref),
      });
      return;
    }
    case 'orderSubmitted': {
      const { instrument, side, steps, priceTicks, quoteQuantity, strategyId, timeInForce, tag, ref, replaces } = event.request;
      const quantity = steps === undefined ? { quote: quoteQuantity?.toFixed() } : { quantity: instrument.step.toText(steps) };
      const price = priceTicks === undefined ? {} : { price: instrument.tick.toText(priceTicks) };
      const terms = { type: event.type, ...quantity, ...price, timeInForce, ...(replaces === undefined ? {} : { replaces }) };
      log.info(kind, { clientOrderId: event.clientOrderId, strategyId, symbol: instrument.symbol, side, ...terms, ...named(tag, ref) });
      return;
    }
    case 'orderAdopted': {
      const { clientOrderId, orderId, request, filledSteps } = event;
      const { instrument, side, steps = 0, priceTicks, strategyId } = request;
      const price = priceTicks === undefined ? {} : { price: instrument.tick.toText(priceTicks) };
      const size = { quantity: instrument.step.toText(steps), filled: instrument.step.toText(filledSteps), ...price };
      log.warn(kind, { clientOrderId, orderId, strategyId, symbol: instrument.symbol, side, ...size });
      return;
    }
    case 'orderVanished':
      log.error('an order that the exchange had confirmed has VANISHED: no look-up, no fill and no balance shows it', {
        ...about(event.clientOrderId, state),
        ...event.reason,
      });
      return;
    case 'orderRejected':
    case 'orderUnknown':
      log.warn(kind, { ...about(event.clientOrderId, state), ...('reason' in event ? { ...event.reason } : {}) });
      return;
    case 'orderAccepted':
      log.info(kind, { ...about(event.clientOrderId, state), orderId: event.orderId, held: event.held });
      return;
    case 'orderCanceled':
    case 'orderExpired':
      log.info(kind, { ...about(event.clientOrderId, state), reason: event.reason });
      return;
    case 'orderTriggered':
    case 'cancelSubmitted':
    case 'cancelRejected':
      log.info(kind, about(event.clientOrderId, state));
      return;
    case 'riskLatched': {
      const { rule, strategyId, symbol, drawdown, limit, count, until, reason, flatten } = event;
      if (rule === 'paused') {
        log.warn('PAUSED: only reducing orders of the strategy pass, until it is resumed', { strategyId, reason });
        return;
      }
      const lifts = until === undefined ? 'a reset' : isoTime(until);
      const passes = rule === 'kill' ? 'no order of a strategy passes' : 'only reducing orders pass';
      log.warn(`LATCHED: ${passes}, until ${lifts}`, { rule, strategyId, symbol, drawdown, limit, count, reason, flatten });
      return;
    }
    case 'latchReset':
      log.warn(event.rule === 'paused' ? 'resumed: the strategy may open positions again' : 'latch reset: trading again', {
        rule: event.rule,
        strategyId: event.strategyId,
        symbol: event.symbol,
      });
      return;
    case 'tradeStopped': {
      const { strategyId, instrument, loss, limit } = event;
      log.warn('the trade has lost more than maxLossPerTrade and is closed', { strategyId, symbol: instrument.symbol, loss, limit });
      return;
    }
    case 'exitRefused': {
      const { strategyId, instrument, positionSide: side, exit, code } = event;
      const what = exit === 'stop' ? 'a position is WITHOUT ITS STOP' : 'a position could NOT BE CLOSED';
      const why = code === 'canceledOutside' ? 'somebody canceled it at the exchange, and the bot does not place it again' : REFUSED;
      log.error(`${what}: ${why}`, { strategyId, symbol: instrument.symbol, side, code });
      return;
    }
    case 'exitDelayed': {
      const { strategyId, instrument, positionSide: side, exit, code, retryAt } = event;
      const what = exit === 'stop' ? 'a stop' : 'a close';
      const why =
        code === 'canceledOutside'
          ? 'a position is WITHOUT ITS STOP: somebody canceled it at the exchange, and the bot places it again'
          : `${what} could not be sent, or was refused: the bot tries again`;
      log.error(why, {
        strategyId,
        symbol: instrument.symbol,
        side,
        code,
        retryAt: isoTime(retryAt),
      });
      return;
    }
    case 'closeOvershot': {
      const { strategyId, instrument, positionSide: side, steps } = event;
      const quantity = instrument.step.toText(steps);
      log.error("a close filled more than its strategy held, and closed another strategy's position: the bot opens this quantity again", {
        strategyId,
        symbol: instrument.symbol,
        side,
        quantity,
      });
      return;
    }
    case 'healthChanged': {
      const { subject, symbol, condition, reason } = event;
      log[condition === 'fresh' ? 'info' : 'warn'](`${subject} ${condition}`, { symbol: symbol === '' ? 'all' : symbol, reason });
      return;
    }
    case 'positionLiquidated':
    case 'positionDeleveraged':
      log.warn(kind, {
        orderId: event.orderId,
        type: event.type,
        symbol: event.fill.symbol,
      });
      return;
    case 'limitsListed':
      log.info("the exchange's limits on orders", { symbol: event.instrument.symbol, ...event.limits });
      return;
    case 'positionFound': {
      const { instrument, positionSide: side, action, steps } = event;
      log.warn(kind, { symbol: instrument.symbol, side, action, quantity: instrument.step.toText(steps) });
      return;
    }
    case 'fundingCharged':
      log.info(kind, { symbol: event.instrument.symbol, side: event.positionSide, amount: event.amount.toFixed() });
      return;
    // The request queue has its own lines: see PressureLog.
    case 'requestsChanged':
    case 'balanceChanged':
    case 'marginChanged':
    case 'signalReceived':
    case 'timerFired':
    // Denials are counted: see DenialLog.
    case 'orderDenied':
      return;
    default:
      kind satisfies never;
  }
}

function about(clientOrderId: string, state: State): Record<string, unknown> {
  const order = state.order(clientOrderId);
  if (order === undefined) return { clientOrderId };
  const { strategyId, symbol, side, tag, ref } = order;
  return { clientOrderId, strategyId, symbol, side, ...named(tag, ref) };
}

/** The `tag` and the `ref` that the strategy gave an order; a missing one is left out. */
function named(tag: string, ref = ''): { tag?: string; ref?: string } {
  return { ...(tag !== '' && { tag }), ...(ref !== '' && { ref }) };
}

/** The longest time between two lines about a repeated denial, in ms of the bot's clock. */
const REPEAT_MS = 60_000;

/** A denial that repeats for the same strategy, symbol and side. */
interface Repeated {
  readonly first: number;
  last: OrderDenied;
  count: number;
  /** The count in the last line, and its time in epoch ms. */
  logged: number;
  loggedAt: number;
}

/**
 * Logs the first of several equal denials (strategy, symbol, side, code), and counts the others. A line with their number, the first and
 * last time and the newest numbers follows when something else happens for this strategy, symbol and side, and once a minute meanwhile.
 */
export class DenialLog {
  readonly #repeated = new Map<string, Repeated>();

  constructor(private readonly log: Log) {}

  onEvent(event: AccountEvent): void {
    if (event.kind === 'orderDenied') this.#deny(event);
    else if (event.kind === 'orderSubmitted' && !event.again) {
      const { strategyId, instrument, side } = event.request;
      this.#end(keyOf(strategyId, instrument.symbol, side));
    }
  }

  /** Logs the counts that have not been logged. */
  close(): void {
    for (const key of [...this.#repeated.keys()]) this.#end(key);
  }

  #deny(event: OrderDenied): void {
    const { clientOrderId, strategyId, symbol, side, reason, tag, ref, time } = event;
    const key = keyOf(strategyId, symbol, side);
    const known = this.#repeated.get(key);
    if (known?.last.reason.code === reason.code) {
      known.last = event;
      known.count++;
      if (time >= known.loggedAt + REPEAT_MS) this.#repeat(known);
      return;
    }
    this.#end(key);
    this.#repeated.set(key, { first: time, last: event, count: 1, logged: 1, loggedAt: time });
    this.log.warn('orderDenied', { clientOrderId, strategyId, symbol, side, ...reason, ...reason.details, ...named(tag, ref) });
  }

  #end(key: string): void {
    const repeated = this.#repeated.get(key);
    if (repeated !== undefined && repeated.count > repeated.logged) this.#repeat(repeated);
    this.#repeated.delete(key);
  }

  #repeat(repeated: Repeated): void {
    const { first, last, count } = repeated;
    const { strategyId, symbol, side, reason, time } = last;
    this.log.warn('orderDenied again', {
      strategyId,
      symbol,
      side,
      ...reason,
      ...reason.details,
      count,
      first: isoTime(first),
      last: isoTime(time),
    });
    repeated.logged = count;
    repeated.loggedAt = time;
  }
}

function keyOf(strategyId: string, symbol: string, side: Side | undefined): string {
  return `${strategyId}/${symbol}/${side ?? ''}`;
}

/** Counts the orders, fills and denials of one run, for the last line of its log. */
export class RunTotals {
  orders = 0;
  fills = 0;
  denied = 0;
  rejected = 0;
  /** Epoch ms of the newest price. */
  lastTick: number | undefined;
  #startEquity: string | undefined;

  observe(engine: Engine, state: State): void {
    engine.market$.subscribe(({ kind, time }) => {
      if (kind === 'ticker') this.lastTick = time;
      if (!Number.isNaN(state.portfolio.equity)) this.#startEquity ??= state.portfolio.exactEquity().toFixed();
    });
    engine.account$.subscribe((event) => {
      if (event.kind === 'orderSubmitted' && !event.again) this.orders++;
      if (event.kind === 'orderFilled') this.fills++;
      if (event.kind === 'orderDenied') this.denied++;
      if (event.kind === 'orderRejected') this.rejected++;
    });
  }

  summary({ portfolio }: State): Record<string, unknown> {
    const { orders, fills, denied, rejected } = this;
    const equity = portfolio.exactEquity().toFixed();
    return { orders, fills, denied, rejected, startEquity: this.#startEquity ?? equity, equity, currency: portfolio.currency };
  }
}
