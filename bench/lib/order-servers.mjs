// In a thread of its own: a local exchange without limits, and a bare fastify route that only verifies the signature.
import { parentPort, workerData } from 'node:worker_threads';
import fastify from 'fastify';
import { verifySignature } from '../../dist/exchange/signing.js';
import { startExchange } from '../../dist/local-exchange/start-exchange.js';
import { Decimal } from '../../dist/model/decimal.js';
import { Instrument } from '../../dist/model/instrument.js';
import { SystemClock } from '../../dist/venues/rest/real-clock.js';

const exchange = await startExchange({
  name: 'bench',
  clock: new SystemClock(),
  instruments: [new Instrument(0, { symbol: 'BTC-USDT', tickSize: '0.01', stepSize: '0.0001', makerFee: '0.001', takerFee: '0.001' })],
  accounts: [{ name: 'trader', balances: { spot: { USDT: '1000000000' } } }],
  fills: {
    market: 'nextOpen',
    limit: 'touch',
    gapFill: 'limit',
    path: 'worst',
    liquidity: 'recorded',
    barVolumeShare: undefined,
    halfSpreadTicks: 0,
    slippageBps: 0,
    restingBy: 'both',
    impact: 'kept',
  },
  margin: () => ({ mode: 'shared', separated: false, longLeverage: new Decimal(5), shortLeverage: new Decimal(5), autoAppend: false }),
  limits: { ipWeight: 0, uidWeight: 0, actionsPerSecond: 0 },
});
exchange.control.setPrice('BTC-USDT', '100');
const [account] = exchange.accounts;

const bare = fastify({ logger: false, forceCloseConnections: true });
bare.removeAllContentTypeParsers();
bare.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
bare.post(workerData.path, (request, reply) => {
  const { headers, raw, body } = request;
  const parts = { timestamp: headers['access-timestamp'], method: 'POST', target: raw.url, body };
  return reply.code(verifySignature(account.secret, parts, headers['access-sign']) ? 200 : 401).send({ code: '00000' });
});
const bareUrl = await bare.listen({ host: '127.0.0.1', port: 0 });
parentPort.postMessage({ exchange: exchange.spot, bare: bareUrl, account });
