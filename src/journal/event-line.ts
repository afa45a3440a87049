import type { Intent } from '../model/intents.ts';
import type { AccountEvent } from '../model/order-events.ts';

/**
 * One line of the event log: JSON, keys in a fixed order, money as decimal text. Written by hand rather than
 * by JSON.stringify, as it stands on the path of every fill; only texts that users write need escaping.
 */
export function eventLine(sequence: number, event: AccountEvent): string {
  const head = `{"sequence":${sequence},"kind":"${event.kind}","time":${event.time}`;
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
      const flags = `${request.postOnly ? ',"postOnly":true' : ''}${request.reduceOnly ? ',"reduceOnly":true' : ''}`;
      return `${head},"clientOrderId":"${event.clientOrderId}","strategy":"${request.strategyId}","symbol":"${request.instrument.symbol}","side":"${request.side}","type":"${type}","sent":"${request.type}","timeInForce":"${request.timeInForce}"${price}${stop}${size}${flags},"tag":${quoted(request.tag)},"decided":${request.decidedSequence}}`;
    }
    case 'orderAccepted':
      return `${head},"clientOrderId":"${event.clientOrderId}","orderId":"${event.orderId}","held":${event.held}}`;
    case 'orderTriggered':
      return `${head},"clientOrderId":"${event.clientOrderId}","priceTicks":${event.priceTicks}}`;
    case 'orderFilled': {
      const { fill } = event;
      return `${head},"clientOrderId":"${event.clientOrderId}","fillId":"${fill.fillId}","side":"${fill.side}","price":"${fill.instrument.tick.toText(fill.priceTicks)}","quantity":"${fill.instrument.step.toText(fill.steps)}","fee":"${fill.fee.toFixed()}","feeAsset":"${fill.feeAsset}","liquidity":"${fill.liquidity}","complete":${event.complete},"decided":${fill.decidedSequence},"priced":${fill.pricedSequence}}`;
    }
    case 'orderCanceled':
    case 'orderExpired':
      return `${head},"clientOrderId":"${event.clientOrderId}","reason":"${event.reason}"}`;
    case 'cancelSubmitted':
    case 'cancelRejected':
    case 'orderUnknown':
      return `${head},"clientOrderId":"${event.clientOrderId}"}`;
    case 'orderRejected':
      return `${head},"clientOrderId":"${event.clientOrderId}","reason":${JSON.stringify(event.reason)}}`;
    case 'orderDenied':
      return `${head},"clientOrderId":"${event.clientOrderId}","strategy":"${event.strategyId}","symbol":${JSON.stringify(event.symbol)},"tag":${JSON.stringify(event.tag)},"reason":${JSON.stringify(event.reason)}}`;
    case 'balanceChanged': {
      const { balance, entry } = event;
      const moved =
        entry === undefined ? '' : `,"amount":"${entry.amount.toFixed()}","reason":"${entry.reason}","fillId":"${entry.fillId}"`;
      return `${head},"asset":"${balance.asset}"${moved},"total":"${balance.total.toFixed()}","frozen":"${balance.frozen.isZero() ? '0' : balance.frozen.toFixed()}"}`;
    }
    case 'timerFired':
      return `${head},"strategy":"${event.strategyId}","name":${JSON.stringify(event.name)}}`;
    case 'riskLatched':
      return `${head},"rule":"${event.rule}","drawdown":${event.drawdown},"limit":${event.limit}}`;
  }
}

/** The line of something a strategy asked for. */
export function intentLine(sequence: number, time: number, strategyId: string, intent: Intent): string {
  const { kind, ...rest } = intent;
  const more = JSON.stringify(rest).slice(1);
  return `{"sequence":${sequence},"kind":"intent","time":${time},"strategy":"${strategyId}","intent":"${kind}"${more === '}' ? '' : ','}${more}`;
}

/** JSON text of a string; most tags are empty. */
function quoted(text: string): string {
  return text === '' ? '""' : JSON.stringify(text);
}
