import { Worker } from 'node:worker_threads';
import { Agent } from 'undici';
import { Credentials } from '../../dist/exchange/client/credentials.js';
import { ExchangeClient } from '../../dist/exchange/client/exchange-client.js';
import { WeightBudget } from '../../dist/exchange/client/weight-budget.js';
import { SystemClock } from '../../dist/venues/rest/real-clock.js';
import { measureBeside, row } from '../lib/measure.mjs';

const REQUESTS = 2_000;
const ASSETS = Array.from({ length: 5 }, (_, coinId) => ({ coinId, coinName: 'USDT', available: '1.5', frozen: '0', equity: '1.5' }));
const BODY = JSON.stringify({ code: '00000', msg: 'success', requestTime: 1_700_000_000_000, data: ASSETS });
const SERVER = `
  const { createServer } = require('node:http');
  const { parentPort, workerData } = require('node:worker_threads');
  const server = createServer((_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(workerData));
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

/** A signed GET one after another: budget, signature, sending, reading, checking. Bare is undici alone, its body parsed. */
export async function clientRoundtripCase() {
  const server = new Worker(SERVER, { eval: true, workerData: BODY });
  const port = await new Promise((resolve) => server.once('message', resolve));
  const origin = `http://127.0.0.1:${port}`;
  const agent = new Agent();
  const clock = new SystemClock();
  const client = new ExchangeClient({
    clock,
    budget: new WeightBudget(clock, { ipWeight: 1e9, uidWeight: 1e9 }),
    credentials: new Credentials({ key: 'key', secret: 'secret', passphrase: 'passphrase' }),
    random: () => 0,
    settings: { spotBaseUrl: origin, clockSyncMs: 0 },
  });
  const bare = async () => {
    for (let i = 0; i < REQUESTS; i++) {
      const { body } = await agent.request({ origin, path: '/api/v2/account/assets', method: 'GET' });
      JSON.parse(await body.text());
    }
  };
  const signed = async () => {
    for (let i = 0; i < REQUESTS; i++) await client.accountAssets();
  };
  const { bareNs, nsPerEvent } = await measureBeside({ events: REQUESTS, run: bare }, { events: REQUESTS, run: signed });
  await Promise.all([client.close(), agent.destroy(), server.terminate()]);
  return [row('client-roundtrip', REQUESTS, nsPerEvent, bareNs, `signed GET; a bare undici request takes ${Math.round(bareNs / 1000)} us`)];
}
