import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { AccountEvent, RiskLatched } from '../model/account-events.ts';
import { ByteText, onGrid } from '../model/byte-text.ts';
import type { Liquidity } from '../model/fill.ts';
import type { ListedGrid } from '../model/instrument.ts';
import type { Intent } from '../model/intents.ts';
import type { LiquidationType, OrderRequest, OrderType, PositionSide, Side } from '../model/order.ts';
import type { Journal } from '../ports/journal.ts';

/**
 * The ordered log of a run: intents, denials, order events, fills, ledger entries and timers, each with the
 * sequence of its market event. Its SHA-256 is the run's `eventLogSha256`. It is the same in any process, as no
 * wall time and no path is in it, and equals the hash of `events.jsonl` if that is written.
 */
export class EventLog implements Journal {
  readonly #hash = createHash('sha256');
  /** Lines are hashed together: to hash each line takes longer than to write it. */
  readonly #lines = new ByteText((bytes) => {
    this.#hash.update(bytes);
    this.write?.(bytes);
  });

  /** @param write receives the bytes of the log in larger pieces. The buffer is used again after the call. */
  constructor(private readonly write?: (bytes: Uint8Array) => void) {}

  intent(sequence: number, time: number, strategyId: string, intent: Intent): void {
    this.#begin(sequence, time);
    writeIntent(this.#lines, strategyId, intent).endLine();
  }

  event(sequence: number, event: AccountEvent): void {
    this.#begin(sequence, event.time);
    writeEvent(this.#lines, event).endLine();
  }

  /** The log is complete at the end of a run. A run that fails is run again. */
  commit(): void {}

  /** Ends the log. @returns its SHA-256 in hex. */
  finish(): string {
    this.#lines.flush();
    return this.#hash.digest('hex');
  }

  #begin(sequence: number, time: number): void {
    this.#lines.write`{"sequence":${sequence},"time":${time},"kind":`;
  }
}

/** The text of an intent as `EventLog` writes it, without the beginning of its line. */
export function intentText(strategyId: string, intent: Intent): string {
  return textOf((line) => writeIntent(line, strategyId, intent));
}

/** The text of an event as `EventLog` writes it, without the beginning of its line. */
export function eventText(event: AccountEvent): string {
  return textOf((line) => writeEvent(line, event));
}

let text = '';
const single = new ByteText((bytes) => {
  text = Buffer.from(bytes).toString();
});

function textOf(write: (line: ByteText) => ByteText): string {
  write(single).flush();
  return text;
}

function writeIntent(line: ByteText, strategyId: string, intent: Intent): ByteText {
  return line.write`"intent","strategy":"${strategyId}","intent":${JSON.stringify(intent)}}`;
}

/**
 * Writes one line of the event log without its beginning and end: JSON, keys in a fixed order, money as decimal text. Written by
 * hand rather than by JSON.stringify, as every fill needs it. Only texts that users write need escaping.
 */
function writeEvent(line: ByteText, event: AccountEvent): ByteText {
  switch (event.kind) {
    case 'orderSubmitted': {
      const { request, type, stopTicks } = event;
      const { tick, step } = request.instrument;
      line.write`"orderSubmitted","clientOrderId":"${event.clientOrderId}","strategy":"${request.strategyId}","symbol":"${request.instrument.symbol}",${directionText(request.side, request.positionSide)},${typeText(type, request)}`;
      if (request.priceTicks !== undefined) line.write`,"price":"${onGrid(tick, request.priceTicks)}"`;
      if (stopTicks !== undefined) line.write`,"stopPrice":"${onGrid(tick, stopTicks)}"`;
      if (request.steps !== undefined) line.write`,"quantity":"${onGrid(step, request.steps)}"`;
      else if (request.quoteQuantity !== undefined) line.write`,"quoteQuantity":"${request.quoteQuantity}"`;
      const flags = `${request.postOnly ? ',"postOnly":true' : ''}${request.reduceOnly ? ',"reduceOnly":true' : ''}${triggerText(request)}`;
      return line.write`${flags},${tagText(request.tag)}${refText(request.ref)}${groupText(request.group)}${replacesText(request.replaces)},"decided":${request.decidedSequence}}`;
    }
    case 'orderAdopted': {
      const { request, orderId, filledSteps } = event;
      const { tick, step } = request.instrument;
      const price = request.priceTicks === undefined ? '' : `,"price":"${tick.toText(request.priceTicks)}"`;
      const size = `,"quantity":"${step.toText(request.steps ?? 0)}","filled":"${step.toText(filledSteps)}"`;
      return line.write`"orderAdopted","clientOrderId":"${event.clientOrderId}","orderId":"${orderId}","strategy":"${request.strategyId}","symbol":"${request.instrument.symbol}",${directionText(request.side, request.positionSide)},"type":"${request.type}"${price}${size}}`;
    }
    case 'orderAccepted':
      return line.write`"orderAccepted","clientOrderId":"${event.clientOrderId}","orderId":"${event.orderId}","held":${event.held}}`;
    case 'orderTriggered':
      return line.write`"orderTriggered","clientOrderId":"${event.clientOrderId}","priceTicks":${event.priceTicks}}`;
    case 'orderFilled': {
      const { fill } = event;
      return line.write`"orderFilled","clientOrderId":"${event.clientOrderId}","fillId":"${fill.fillId}",${directionText(fill.side, fill.positionSide)},"price":"${onGrid(fill.instrument.tick, fill.priceTicks)}","quantity":"${onGrid(fill.instrument.step, fill.steps)}","fee":"${fill.fee}","feeAsset":"${fill.feeAsset}",${fillText(fill.liquidity, event.complete)},"decided":${fill.decidedSequence},"priced":${fill.pricedSequence}}`;
    }
    case 'orderCanceled':
    case 'orderExpired':
      return line.write`"${event.kind}","clientOrderId":"${event.clientOrderId}","reason":"${event.reason}"}`;
    case 'cancelSubmitted':
    case 'cancelRejected':
    case 'orderUnknown':
      return line.write`"${event.kind}","clientOrderId":"${event.clientOrderId}"}`;
    case 'orderVanished':
    case 'orderRejected':
      return line.write`"${event.kind}","clientOrderId":"${event.clientOrderId}","reason":${JSON.stringify(event.reason)}}`;
    case 'orderDenied':
      return line.write`"orderDenied","clientOrderId":"${event.clientOrderId}","strategy":"${event.strategyId}","symbol":${JSON.stringify(event.symbol)},${tagText(event.tag)}${refText(event.ref)}${groupText(event.group)},"reason":${JSON.stringify(event.reason)}}`;
    case 'balanceChanged': {
      const { balance, entry } = event;
      line.write`"balanceChanged","asset":"${balance.asset}"${balance.wallet === 'futures' ? ',"wallet":"futures"' : ''}`;
      if (entry !== undefined) line.write`,"amount":"${entry.amount}","reason":"${entry.reason}","fillId":"${entry.fillId}"`;
      return line.write`,"total":"${balance.total}","frozen":"${balance.frozen}"}`;
    }
    case 'fundingCharged': {
      const { instrument, positionSide, steps, rate, markPrice, amount } = event;
      return line.write`"fundingCharged","symbol":"${instrument.symbol}"${positionText(positionSide)},"quantity":"${onGrid(instrument.step, steps)}","rate":"${rate}","markPrice":"${markPrice}","amount":"${amount}"}`;
    }
    case 'marginChanged':
      return line.write`"marginChanged","symbol":"${event.instrument.symbol}"${positionText(event.positionSide)},"margin":"${event.margin}"}`;
    case 'positionLiquidated':
    case 'positionDeleveraged': {
      const { fill, type, orderId } = event;
      const { tick, step } = fill.instrument;
      const position = event.positionId === undefined ? '' : `,"positionId":"${event.positionId}"`;
      return line.write`"${event.kind}","orderId":"${orderId}","symbol":"${fill.symbol}"${positionText(fill.positionSide)}${position},"type":"${type}","fillId":"${fill.fillId}","side":"${fill.side}","price":"${onGrid(tick, fill.priceTicks)}","quantity":"${onGrid(step, fill.steps)}","fee":"${fill.fee}","feeAsset":"${fill.feeAsset}","priced":${fill.pricedSequence}}`;
    }
    case 'positionFound': {
      const { instrument, positionSide, action, steps, notional } = event;
      return line.write`"positionFound","symbol":"${instrument.symbol}"${positionText(positionSide)},"action":"${action}","quantity":"${onGrid(instrument.step, steps)}","notional":"${notional}"}`;
    }
    case 'signalReceived': {
      const { name, symbol, sourceTime, values } = event;
      return line.write`"signalReceived","name":"${name}"${symbolText(symbol)},"sourceTime":${sourceTime},"values":${JSON.stringify(values)}}`;
    }
    case 'timerFired':
      return line.write`"timerFired","strategy":"${event.strategyId}","name":${JSON.stringify(event.name)}}`;
    case 'riskLatched':
      return line.write`${latchText(event)}`;
    case 'latchReset':
      return line.write`"latchReset","rule":"${event.rule}"${strategyText(event.strategyId)}${symbolText(event.symbol)}}`;
    case 'tradeStopped':
      return line.write`"tradeStopped","strategy":"${event.strategyId}","symbol":"${event.instrument.symbol}","loss":"${event.loss}","limit":"${event.limit}"}`;
    case 'closeOvershot':
      return line.write`"closeOvershot","strategy":"${event.strategyId}","symbol":"${event.instrument.symbol}"${positionText(event.positionSide)},"quantity":"${onGrid(event.instrument.step, event.steps)}"}`;
    case 'exitRefused':
    case 'exitDelayed':
      return line.write`"${event.kind}","strategy":"${event.strategyId}","symbol":"${event.instrument.symbol}"${positionText(event.positionSide)},"exit":"${event.exit}","code":"${event.code}"}`;
    case 'requestsChanged':
      return line.write`"requestsChanged","queued":${event.queued},"free":${event.free}}`;
    case 'limitsListed':
      return line.write`"limitsListed","symbol":"${event.instrument.symbol}","limits":${JSON.stringify(event.limits)}}`;
    case 'healthChanged':
      return line.write`"healthChanged","subject":"${event.subject}","symbol":${quoted(event.symbol)},"condition":"${event.condition}","reason":${quoted(event.reason)}${gridText(event.grid)}}`;
  }
}

function latchText({ rule, strategyId, symbol, drawdown, limit, count, until, reason = '', flatten }: RiskLatched): string {
  const head = `"riskLatched","rule":"${rule}"${strategyText(strategyId)}${symbolText(symbol)}`;
  if (rule === 'kill' || rule === 'reduce' || rule === 'paused')
    return `${head},"reason":${quoted(reason)}${flatten === true ? ',"flatten":true' : ''}}`;
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
