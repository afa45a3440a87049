import { readFileSync } from 'node:fs';
import { exchangeOptions } from '../../src/app/local-exchange/exchange-config.ts';
import { loadExchangeConfig } from '../../src/app/local-exchange/run-exchange.ts';
import type { ExchangeAccount } from '../../src/local-exchange/core/exchange-account.ts';
import { RunningCore } from '../../src/local-exchange/core/running-core.ts';
import type { Instrument } from '../../src/model/instrument.ts';

/** What happened at the exchange, from its state file alone. */
export interface There {
  readonly instruments: readonly Instrument[];
  readonly coins: readonly string[];
  readonly account: ExchangeAccount;
  /** Client ids of the orders that arrived, in their order, as often as they did. */
  readonly arrived: readonly string[];
}

/** Does again what the file of an exchange that has ended says. */
export function readThere(config: string, stateFile: string): There {
  const planned = exchangeOptions(loadExchangeConfig(config, [], {}));
  const clock = { now: () => 0, schedule: () => () => {} };
  const { exchange } = new RunningCore({ ...planned, clock, stateFile }, { lagMs: () => 0 });
  const [account] = exchange.accounts.all;
  return {
    instruments: planned.instruments,
    coins: exchange.coins.map(({ name }) => name),
    account: account!,
    arrived: arrivals(stateFile),
  };
}

function arrivals(stateFile: string): string[] {
  const [, ...lines] = readFileSync(stateFile, 'utf8').trimEnd().split('\n');
  return lines.flatMap((line) => {
    const [, kind, args] = JSON.parse(line) as [number, string, { orders: { clientOrderId: string }[]; order: { clientOid: string } }];
    if (kind === 'placeTrigger') return [args.order.clientOid];
    return kind === 'placeSpot' ? args.orders.map(({ clientOrderId }) => clientOrderId) : [];
  });
}
