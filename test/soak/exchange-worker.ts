import { parentPort, workerData } from 'node:worker_threads';
import type { OperationName } from '../../src/exchange/operations/operation-table.ts';
import { OPERATIONS } from '../../src/exchange/operations/operations.ts';
import type { Fate } from '../../src/local-exchange/faults.ts';
import type { WireRequest } from '../../src/local-exchange/http/answering.ts';
import { Random } from '../../src/model/random.ts';
import { marginSettings, T0 } from '../builders.ts';
import { ExchangeSide, instrumentsOf, type Markets } from '../faults/exchange-side.ts';
import { SimClock } from '../faults/sim-clock.ts';
import { movePrices } from './prices.ts';
import type { Asked, SoakData } from './remote-exchange.ts';

// The exchange of a soak: its time goes on to that of each request, whose answer the bot waits for.
const { seed, markets, faults, stateFile, turn, port } = workerData as SoakData;
const clock = new SimClock(T0);
const instruments = instrumentsOf(markets.kind);
const revived: Markets = { ...markets, margin: marginSettings() };
const side = new ExchangeSide({ seed, markets: revived, faults, clock, instruments, stateFile });
movePrices({ instruments, core: side.core, clock }, new Random(seed, 'prices'));

const flag = new Int32Array(turn);
const { credentials } = side.account.identity;
port.on('message', answer);
parentPort!.postMessage(credentials);

async function answer(asked: Asked): Promise<void> {
  await clock.runTo(asked.time);
  const reply = 'operation' in asked ? arrived(asked) : closed();
  port.postMessage(reply);
  Atomics.add(flag, 0, 1);
  Atomics.notify(flag, 0);
}

function arrived({ operation, request, fate }: Extract<Asked, { operation: string }>) {
  const body = Buffer.from(request.body);
  return side.arrive(OPERATIONS[operation as OperationName], { ...(request as WireRequest), body }, fate as Fate);
}

function closed() {
  side.core.close();
  return { closed: true };
}
