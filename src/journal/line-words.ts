import type { Liquidity } from '../model/fill.ts';
import type { LiquidationType, OrderRequest, OrderType, PositionSide, Side } from '../model/order.ts';

// Fields that stand side by side in the lines of nearly every order, as one text each where they are what they mostly are: V8 makes
// a string of its own for each piece that is put to a line.

/** Which side, and of a contract on margin which position; one net position goes without saying. */
export function directionText(side: Side, positionSide: PositionSide): string {
  const text = side === 'buy' ? '"side":"buy"' : '"side":"sell"';
  return positionSide === 'net' ? text : `${text}${positionText(positionSide)}`;
}

/** Which position of a contract on margin, after another field. */
export function positionText(side: PositionSide): string {
  return side === 'net' ? '' : `,"positionSide":"${side}"`;
}

/** What was asked for, and what went out. */
export function typeText(type: OrderType | LiquidationType, { type: sent, timeInForce }: OrderRequest): string {
  if (type === sent && timeInForce === 'GTC') {
    if (type === 'market') return '"type":"market","sent":"market","timeInForce":"GTC"';
    if (type === 'limit') return '"type":"limit","sent":"limit","timeInForce":"GTC"';
  }
  return `"type":"${type}","sent":"${sent}","timeInForce":"${timeInForce}"`;
}

export function tagText(tag: string): string {
  return tag === '' ? '"tag":""' : `"tag":${JSON.stringify(tag)}`;
}

export function fillText(liquidity: Liquidity, complete: boolean): string {
  if (complete) return liquidity === 'taker' ? '"liquidity":"taker","complete":true' : '"liquidity":"maker","complete":true';
  return `"liquidity":"${liquidity}","complete":false`;
}
