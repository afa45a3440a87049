import type { Intent } from '../model/intents.ts';
import type { RiskLatched } from '../model/latch-events.ts';
import type { OrderRequest } from '../model/order.ts';
import type { AccountEvent } from '../model/order-events.ts';
import { directionText, fillText, positionText, tagText, typeText } from './line-words.ts';

/**
 * One line of the event log without its head: JSON, keys in a fixed order, money as decimal text. Written by
 * hand rather than by JSON.stringify, as it stands on the path of every fill; only texts that users write
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
      return `"orderSubmitted","clientOrderId":"${event.clientOrderId}","strategy":"${request.strategyId}","symbol":"${request.instrument.symbol}",${directionText(request.side, request.positionSide)},${typeText(type, request)}${price}${stop}${size}${flags},${tagText(request.tag)},"decided":${request.decidedSequence}}`;
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
      return `"orderFilled","clientOrderId":"${event.clientOrderId}","fillId":"${fill.fillId}",${directionText(fill.side, fill.positionSide)},"price":"${fill.instrument.tick.toText(fill.priceTicks)}","quantity":"${fill.instrument.step.toText(fill.steps)}","fee":"${fill.fee.toFixed()}","feeAsset":"${fill.feeAsset}",${fillText(fill.liquidity, event.complete)}${inferredText(event)},"decided":${fill.decidedSequence},"priced":${fill.pricedSequence}}`;
    }
    case 'orderCanceled':
    case 'orderExpired':
      return `"${event.kind}","clientOrderId":"${event.clientOrderId}","reason":"${event.reason}"}`;
    case 'cancelSubmitted':
    case 'cancelRejected':
    case 'orderUnknown':
      return `"${event.kind}","clientOrderId":"${event.clientOrderId}"}`;
    case 'orderRejected':
      return `"orderRejected","clientOrderId":"${event.clientOrderId}","reason":${JSON.stringify(event.reason)}}`;
    case 'orderDenied':
      return `"orderDenied","clientOrderId":"${event.clientOrderId}","strategy":"${event.strategyId}","symbol":${JSON.stringify(event.symbol)},${tagText(event.tag)},"reason":${JSON.stringify(event.reason)}}`;
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
    case 'positionLiquidated': {
      const { fill, type, orderId } = event;
      const { tick, step } = fill.instrument;
      const position = event.positionId === undefined ? '' : `,"positionId":"${event.positionId}"`;
      return `"positionLiquidated","orderId":"${orderId}","symbol":"${fill.symbol}"${positionText(fill.positionSide)}${position},"type":"${type}","fillId":"${fill.fillId}","side":"${fill.side}","price":"${tick.toText(fill.priceTicks)}","quantity":"${step.toText(fill.steps)}","fee":"${fill.fee.toFixed()}","feeAsset":"${fill.feeAsset}"${inferredText(event)},"priced":${fill.pricedSequence}}`;
    }
    case 'positionFound': {
      const { instrument, positionSide, action, steps, notional } = event;
      return `"positionFound","symbol":"${instrument.symbol}"${positionText(positionSide)},"action":"${action}","quantity":"${instrument.step.toText(steps)}","notional":"${notional.toFixed()}"}`;
    }
    case 'timerFired':
      return `"timerFired","strategy":"${event.strategyId}","name":${JSON.stringify(event.name)}}`;
    case 'riskLatched':
      return latchText(event);
    case 'latchReset':
      return `"latchReset","rule":"${event.rule}"${strategyText(event.strategyId)}}`;
    case 'tradeStopped':
      return `"tradeStopped","strategy":"${event.strategyId}","symbol":"${event.instrument.symbol}","loss":"${event.loss}","limit":"${event.limit}"}`;
    case 'exitRefused':
      return `"exitRefused","strategy":"${event.strategyId}","symbol":"${event.instrument.symbol}"${positionText(event.positionSide)},"exit":"${event.exit}","code":"${event.code}"}`;
    case 'healthChanged':
      return `"healthChanged","subject":"${event.subject}","symbol":${quoted(event.symbol)},"condition":"${event.condition}","reason":${quoted(event.reason)}}`;
  }
}

/** The same for something a strategy asked for. */
export function intentText(strategyId: string, intent: Intent): string {
  return `"intent","strategy":"${strategyId}","intent":${JSON.stringify(intent)}}`;
}

function latchText({ rule, strategyId, drawdown, limit, count, until, reason = '' }: RiskLatched): string {
  const head = `"riskLatched","rule":"${rule}"${strategyText(strategyId)}`;
  if (rule === 'kill' || rule === 'reduce') return `${head},"reason":${quoted(reason)}}`;
  const measured = count === undefined ? `,"drawdown":${drawdown}` : `,"count":${count}`;
  return `${head}${measured},"limit":${limit}${until === undefined ? '' : `,"until":${until}`}}`;
}

/** Of a limit of one strategy; the account's goes without saying. */
function strategyText(strategyId: string | undefined): string {
  return strategyId === undefined ? '' : `,"strategy":"${strategyId}"`;
}

/** Whether it was ours or forced, or how much of it, was inferred; proof goes without saying. */
function inferredText({ inferred }: { readonly inferred?: boolean | undefined }): string {
  return inferred === true ? ',"inferred":true' : '';
}

/** What makes an order wait at the venue. */
function triggerText({ instrument, triggerTicks, atLast, fromNextBar }: OrderRequest): string {
  if (triggerTicks === undefined) return '';
  return `,"trigger":"${instrument.tick.toText(triggerTicks)}"${atLast ? ',"atLast":true' : ''}${fromNextBar ? ',"fromNextBar":true' : ''}`;
}

/** JSON text of a string; most tags are empty. */
function quoted(text: string): string {
  return text === '' ? '""' : JSON.stringify(text);
}
