import { type Local, startLocal } from '../../local-exchange/local.ts';
import type { Contract } from './contract.ts';

const started: Local[] = [];

/** An exchange with prices, on which the operation can be asked. */
export async function startFor({ options, prepare }: Contract, limits: Readonly<Record<string, number>> = {}): Promise<Local> {
  const local = await startLocal({ ...options, limits: { ipWeight: 0, uidWeight: 0, actionsPerSecond: 0, ...limits } });
  started.push(local);
  local.price('BTC-USDT', '100');
  local.price('BTC-USDT-PERP', '100');
  await prepare?.(local);
  return local;
}

/** Ends all that were started: one that a failing test left open would hold up the whole run. */
export async function closeAll(): Promise<void> {
  await Promise.all(started.splice(0).map((local) => local.close()));
}
