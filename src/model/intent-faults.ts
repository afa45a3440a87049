import type { Exits, Intent, SetTimer } from './intents.ts';

/**
 * What in an intent can be nothing but a mistake of its code, in words: types are gone at run time. A value that is only
 * unfit for its market is denied by risk instead.
 */
export function intentFault(intent: Intent): string | undefined {
  switch (intent.kind) {
    case 'place':
      return (
        amountFault('quantity', intent.quantity) ??
        amountFault('quoteQuantity', intent.quoteQuantity) ??
        amountFault('price', intent.price) ??
        amountFault('stopPrice', intent.stopPrice) ??
        exitsFault(intent.exits)
      );
    case 'protect':
      return amountFault('quantity', intent.quantity) ?? exitsFault(intent);
    case 'setTimer':
      return timerFault(intent);
    default:
      return undefined;
  }
}

function exitsFault(exits: Exits | undefined): string | undefined {
  return amountFault('stopLoss', exits?.stopLoss) ?? amountFault('trailBy', exits?.trailBy) ?? amountFault('takeProfit', exits?.takeProfit);
}

function amountFault(name: string, amount: unknown): string | undefined {
  if (typeof amount === 'number' || typeof amount === 'string' || amount === undefined || amount === null) return undefined;
  return `${name} is a number or decimal text, not ${shown(amount)}`;
}

function timerFault({ name, at, everyMs }: SetTimer): string | undefined {
  if (at === undefined && everyMs === undefined) return `timer "${name}" needs a time (at) or a period (everyMs)`;
  if (at !== undefined && !Number.isFinite(at)) return `timer "${name}": at is a time in epoch ms, not ${shown(at)}`;
  if (everyMs === undefined || (Number.isFinite(everyMs) && everyMs > 0)) return undefined;
  return `timer "${name}": everyMs is a positive number of ms, not ${shown(everyMs)}`;
}

function shown(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
