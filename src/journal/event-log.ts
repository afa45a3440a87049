import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { AccountEvent, RiskLatched } from '../model/account-events.ts';
import type { Liquidity } from '../model/fill.ts';
import type { ListedGrid } from '../model/instrument.ts';
import type { Intent } from '../model/intents.ts';
import type { LiquidationType, OrderRequest, OrderType, PositionSide, Side } from '../model/order.ts';
import type { Journal } from '../ports/journal.ts';

/** Lines are hashed together up to this many characters: hashing each line takes longer than writing it. */
const PIECE_CHARACTERS = 1 << 15;

/**
 * The ordered log of a run: intents, denials, order events, fills, ledger entries and timers, each with the
 * sequence of its market event. Its SHA-256 is the run's `eventLogSha256`. It is the same in any process, as no
 * wall time and no path is in it, and equals the hash of `events.jsonl` if that is written.
 */
export class EventLog implements Journal {
  readonly #hash = createHash('sha256');
  #piece = '';
  /** The common start of the lines of one moment: several follow one another. */
  #head = '';
  #sequence = Number.NaN;
  #time = Number.NaN;

  /** @param write receives the bytes of the log in larger pieces. */
  constructor(private readonly write?: (bytes: Uint8Array) => void) {}

  intent(sequence: number, time: number, strategyId: string, intent: Intent): void {
    this.#add(sequence, time, intentText(strategyId, intent));
  }

  event(sequence: number, event: AccountEvent): void {
    this.#add(sequence, event.time, eventText(event));
  }

  /** The log is complete at the end of a run. A run that fails is run again. */
  commit(): void {}

  /** Ends the log. @returns its SHA-256 in hex. */
  finish(): string {
    this.#flush();
    return this.#hash.digest('hex');
  }

  #add(sequence: number, time: number, text: string): void {
    if (sequence !== this.#sequence || time !== this.#time) {
      this.#sequence = sequence;
      this.#time = time;
      this.#head = `{"sequence":${sequence},"time":${time},"kind":`;
    }
    this.#piece += `${this.#head}${text}\n`;
    if (this.#piece.length > PIECE_CHARACTERS) this.#flush();
  }

  #flush(): void {
    if (this.#piece === '') return;
    // As text: a conversion to bytes would take as long again as the hash.
    this.#hash.update(this.#piece);
    this.write?.(Buffer.from(this.#piece));
    this.#piece = '';
  }
}

/** The same for an intent of a strategy. */
export function intentText(strategyId: string, intent: Intent): string {
  return `"intent","strategy":"${strategyId}","intent":${JSON.stringify(intent)}}`;
}

/**
 * One line of the event log without its head: JSON, keys in a fixed order, money as decimal text. Written by
 * hand rather than by JSON.stringify, as every fill needs it. Only texts that users write
 * need escaping.
 */
export function eventText(event: AccountEvent): string {
  switch (event.kind) {
    case 'orderSubmitted': {
      const { request, type, stopTicks } = event;
      const { tick, step } = request.instrument;
      const price = request.priceTicks === undefined ? '' : `,"price":"${tick.toText(request.priceTicks)}"`;
      const stop = stopTicks === undefined ? '' : `,"stopPrice":"${tick.toText(stopTicks)}"`;
      const size =
        request.steps === undefined
          ? `,"quoteQuantity":"${request.quoteQuantity?.toFixed()}"`
          : `,"quantity":"${step.toText(request.steps)}"`;
      const flags = `${request.postOnly ? ',"postOnly":true' : ''}${request.reduceOnly ? ',"reduceOnly":true' : ''}${triggerText(request)}`;
      return `"orderSubmitted","clientOrderId":"${event.clientOrderId}","strategy":"${request.strategyId}","symbol":"${request.instrument.symbol}",${directionText(request.side, request.positionSide)},${typeText(type, request)}${price}${stop}${size}${flags},${tagText(request.tag)}${refText(request.ref)}${groupText(request.group)}${replacesText(request.replaces)},"decided":${request.decidedSequence}}`;
    }
    case 'orderAdopted': {
      const { request, orderId, filledSteps } = event;
      const { tick, step } = request.instrument;
      const price = request.priceTicks === undefined ? '' : `,"price":"${tick.toText(request.priceTicks)}"`;
      const size = `,"quantity":"${step.toText(request.steps ?? 0)}","filled":"${step.toText(filledSteps)}"`;
      return `"orderAdopted","clientOrderId":"${event.clientOrderId}","orderId":"${orderId}","strategy":"${request.strategyId}","symbol":"${request.instrument.symbol}",${directionText(request.side, request.positionSide)},"type":"${request.type}"${price}${size}}`;
    }
    case 'orderAccepted':
      return `"orderAccepted","clientOrderId":"${event.clientOrderId}","orderId":"${event.orderId}","held":${event.held}}`;
    case 'orderTriggered':
      return `"orderTriggered","clientOrderId":"${event.clientOrderId}","priceTicks":${event.priceTicks}}`;
    case 'orderFilled': {
      const { fill } = event;
      return `"orderFilled","clientOrderId":"${event.clientOrderId}","fillId":"${fill.fillId}",${directionText(fill.side, fill.positionSide)},"price":"${fill.instrument.tick.toText(fill.priceTicks)}","quantity":"${fill.instrument.step.toText(fill.steps)}","fee":"${fill.fee.toFixed()}","feeAsset":"${fill.feeAsset}",${fillText(fill.liquidity, event.complete)},"decided":${fill.decidedSequence},"priced":${fill.pricedSequence}}`;
    }
    case 'orderCanceled':
    case 'orderExpired':
      return `"${event.kind}","clientOrderId":"${event.clientOrderId}","reason":"${event.reason}"}`;
    case 'cancelSubmitted':
    case 'cancelRejected':
    case 'orderUnknown':
      return `"${event.kind}","clientOrderId":"${event.clientOrderId}"}`;
    case 'orderVanished':
    case 'orderRejected':
      return `"${event.kind}","clientOrderId":"${event.clientOrderId}","reason":${JSON.stringify(event.reason)}}`;
    case 'orderDenied':
      return `"orderDenied","clientOrderId":"${event.clientOrderId}","strategy":"${event.strategyId}","symbol":${JSON.stringify(event.symbol)},${tagText(event.tag)}${refText(event.ref)}${groupText(event.group)},"reason":${JSON.stringify(event.reason)}}`;
    case 'balanceChanged': {
      const { balance, entry } = event;
      const moved =
        entry === undefined ? '' : `,"amount":"${entry.amount.toFixed()}","reason":"${entry.reason}","fillId":"${entry.fillId}"`;
      const frozen = balance.frozen.isZero() ? '0' : balance.frozen.toFixed();
      const wallet = balance.wallet === 'futures' ? ',"wallet":"futures"' : '';
      return `"balanceChanged","asset":"${balance.asset}"${wallet}${moved},"total":"${balance.total.toFixed()}","frozen":"${frozen}"}`;
    }
    case 'fundingCharged': {
      const { instrument, positionSide, steps, rate, markPrice, amount } = event;
      return `"fundingCharged","symbol":"${instrument.symbol}"${positionText(positionSide)},"quantity":"${instrument.step.toText(steps)}","rate":"${rate.toFixed()}","markPrice":"${markPrice.toFixed()}","amount":"${amount.toFixed()}"}`;
    }
    case 'marginChanged':
      return `"marginChanged","symbol":"${event.instrument.symbol}"${positionText(event.positionSide)},"margin":"${event.margin.toFixed()}"}`;
    case 'positionLiquidated':
    case 'positionDeleveraged': {
      const { fill, type, orderId } = event;
      const { tick, step } = fill.instrument;
      const position = event.positionId === undefined ? '' : `,"positionId":"${event.positionId}"`;
      return `"${event.kind}","orderId":"${orderId}","symbol":"${fill.symbol}"${positionText(fill.positionSide)}${position},"type":"${type}","fillId":"${fill.fillId}","side":"${fill.side}","price":"${tick.toText(fill.priceTicks)}","quantity":"${step.toText(fill.steps)}","fee":"${fill.fee.toFixed()}","feeAsset":"${fill.feeAsset}","priced":${fill.pricedSequence}}`;
    }
    case 'positionFound': {
      const { instrument, positionSide, action, steps, notional } = event;
      return `"positionFound","symbol":"${instrument.symbol}"${positionText(positionSide)},"action":"${action}","quantity":"${instrument.step.toText(steps)}","notional":"${notional.toFixed()}"}`;
    }
    case 'signalReceived': {
      const { name, symbol, sourceTime, values } = event;
      return `"signalReceived","name":"${name}"${symbolText(symbol)},"sourceTime":${sourceTime},"values":${JSON.stringify(values)}}`;
    }
    case 'timerFired':
      return `"timerFired","strategy":"${event.strategyId}","name":${JSON.stringify(event.name)}}`;
    case 'riskLatched':
      return latchText(event);
    case 'latchReset':
      return `"latchReset","rule":"${event.rule}"${strategyText(event.strategyId)}${symbolText(event.symbol)}}`;
    case 'tradeStopped':
      return `"tradeStopped","strategy":"${event.strategyId}","symbol":"${event.instrument.symbol}","loss":"${event.loss}","limit":"${event.limit}"}`;
    case 'closeOvershot':
      return `"closeOvershot","strategy":"${event.strategyId}","symbol":"${event.instrument.symbol}"${positionText(event.positionSide)},"quantity":"${event.instrument.step.toText(event.steps)}"}`;
    case 'exitRefused':
    case 'exitDelayed':
      return `"${event.kind}","strategy":"${event.strategyId}","symbol":"${event.instrument.symbol}"${positionText(event.positionSide)},"exit":"${event.exit}","code":"${event.code}"}`;
    case 'requestsChanged':
      return `"requestsChanged","queued":${event.queued},"free":${event.free}}`;
    case 'limitsListed':
      return `"limitsListed","symbol":"${event.instrument.symbol}","limits":${JSON.stringify(event.limits)}}`;
    case 'healthChanged':
      return `"healthChanged","subject":"${event.subject}","symbol":${quoted(event.symbol)},"condition":"${event.condition}","reason":${quoted(event.reason)}${gridText(event.grid)}}`;
  }
}

function latchText({ rule, strategyId, symbol, drawdown, limit, count, until, reason = '', flatten }: RiskLatched): string {
  const head = `"riskLatched","rule":"${rule}"${strategyText(strategyId)}${symbolText(symbol)}`;
  if (rule === 'kill' || rule === 'reduce') return `${head},"reason":${quoted(reason)}${flatten === true ? ',"flatten":true' : ''}}`;
  const measured = count === undefined ? `,"drawdown":${drawdown}` : `,"count":${count}`;
  return `${head}${measured},"limit":${limit}${until === undefined ? '' : `,"until":${until}`}}`;
}

function gridText(grid: ListedGrid | undefined): string {
  return grid === undefined ? '' : `,"grid":{"ticks":${grid.ticks},"steps":${grid.steps},"leastSteps":${grid.leastSteps}}`;
}

/** The strategy of a limit; left out for the account's. */
function strategyText(strategyId: string | undefined): string {
  return strategyId === undefined ? '' : `,"strategy":"${strategyId}"`;
}

/** The symbol of a limit; left out for one of all symbols. */
function symbolText(symbol: string | undefined): string {
  return symbol === undefined ? '' : `,"symbol":"${symbol}"`;
}

/** Why an order waits at the venue. */
function triggerText({ instrument, triggerTicks, fromNextBar }: OrderRequest): string {
  if (triggerTicks === undefined) return '';
  return `,"trigger":"${instrument.tick.toText(triggerTicks)}"${fromNextBar ? ',"fromNextBar":true' : ''}`;
}

/** JSON text of a string; most tags are empty. */
function quoted(text: string): string {
  return text === '' ? '""' : JSON.stringify(text);
}

// Fields that follow one another in the lines of nearly every order, as one text each for their usual values: V8 makes
// a string for each piece that is appended to a line.

/** The side, and for a future the position side; left out for a net position. */
function directionText(side: Side, positionSide: PositionSide): string {
  const text = side === 'buy' ? '"side":"buy"' : '"side":"sell"';
  return positionSide === 'net' ? text : `${text}${positionText(positionSide)}`;
}

/** The position side of a future, after another field. */
function positionText(side: PositionSide): string {
  return side === 'net' ? '' : `,"positionSide":"${side}"`;
}

/** The requested type, and the type that was sent. */
function typeText(type: OrderType | LiquidationType, { type: sent, timeInForce }: OrderRequest): string {
  if (type === sent && timeInForce === 'GTC') {
    if (type === 'market') return '"type":"market","sent":"market","timeInForce":"GTC"';
    if (type === 'limit') return '"type":"limit","sent":"limit","timeInForce":"GTC"';
  }
  return `"type":"${type}","sent":"${sent}","timeInForce":"${timeInForce}"`;
}

function tagText(tag: string): string {
  return tag === '' ? '"tag":""' : `"tag":${JSON.stringify(tag)}`;
}

/** The strategy's own name of the order; left out without one. */
function refText(ref: string | undefined): string {
  return ref === undefined ? '' : `,"ref":${JSON.stringify(ref)}`;
}

/** The group of its legs; left out without one. */
function groupText(group: string | undefined): string {
  return group === undefined ? '' : `,"group":${JSON.stringify(group)}`;
}

/** The order that this one replaces; left out without one. */
function replacesText(replaces: string | undefined): string {
  return replaces === undefined ? '' : `,"replaces":"${replaces}"`;
}

function fillText(liquidity: Liquidity, complete: boolean): string {
  if (complete) return liquidity === 'taker' ? '"liquidity":"taker","complete":true' : '"liquidity":"maker","complete":true';
  return `"liquidity":"${liquidity}","complete":false`;
}
