import { Worker } from 'node:worker_threads';
import { Agent } from 'undici';
import { signHmac } from '../../dist/exchange/signing.js';
import { measureBeside, row } from '../lib/measure.mjs';

const REQUESTS = 4_000;
const CONNECTIONS = 8;
const PATH = '/api/v2/trade/batch-orders';

/** Signed placements, eight at a time, one order each, which ends at once: no book has thousands of them. Bare is a fastify route that only verifies the signature. */
export async function exchangeOrdersCase() {
  const server = new Worker(new URL('../lib/order-servers.mjs', import.meta.url), { workerData: { path: PATH } });
  const { exchange, bare, account } = await new Promise((resolve, reject) => {
    server.once('message', resolve);
    server.once('error', reject);
  });
  const agent = new Agent({ connections: CONNECTIONS });
  let ids = 0;
  let latencies = [];
  const send = async (origin) => {
    const order = { side: 'buy', orderType: 'limit', force: 'ioc', price: '50', quantity: '0.0001', clientOrderId: `b${++ids}` };
    const body = JSON.stringify({ symbol: 'BTCUSDT_SPBL', orderList: [order] });
    const timestamp = String(Date.now());
    const headers = {
      'access-key': account.key,
      'access-passphrase': account.passphrase,
      'access-timestamp': timestamp,
      'access-sign': signHmac(account.secret, { timestamp, method: 'POST', target: PATH, body }),
      'content-type': 'application/json',
    };
    const began = performance.now();
    const reply = await agent.request({ origin, path: PATH, method: 'POST', headers, body });
    const { code } = JSON.parse(await reply.body.text());
    if (code !== '00000') throw new Error(`the placement was refused with ${code}`);
    latencies.push(performance.now() - began);
  };
  const all = async (origin) => {
    latencies = [];
    const lane = async () => {
      for (let i = 0; i < REQUESTS / CONNECTIONS; i++) await send(origin);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  };
  let p99 = 0;
  const placements = async () => {
    await all(exchange);
    p99 = latencies.sort((a, b) => a - b)[Math.floor(REQUESTS * 0.99)];
  };
  const { bareNs, nsPerEvent } = await measureBeside({ events: REQUESTS, run: () => all(bare) }, { events: REQUESTS, run: placements });
  await Promise.all([agent.destroy(), server.terminate()]);
  const perSecond = Math.round(1e9 / nsPerEvent);
  const note = `${perSecond} placements/s, p99 ${p99.toFixed(1)} ms; a route that only verifies: ${Math.round(1e9 / bareNs)}/s`;
  return [row('exchange-orders', REQUESTS, nsPerEvent, bareNs, note)];
}
