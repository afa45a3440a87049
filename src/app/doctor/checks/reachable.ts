import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { type Check, ok, skipped, warning } from '../check.ts';

/** A round trip that long leaves prices old, and orders late. */
const SLOW_MS = 2_000;
const MEND = 'see to the network, the URL and the proxy; the exchange may be down, or not let this address in';

const reachable = (id: string, host: 'spot' | 'futures', ask: (client: ExchangeClient) => Promise<unknown>): Check => ({
  id,
  title: `the ${host} host answers`,
  modes: ['live'],
  needs: ['keys'],
  mend: MEND,
  async run({ exchange, access }) {
    const url = host === 'spot' ? access?.spotBaseUrl : access?.contractBaseUrl;
    if (url === undefined) return skipped('nothing is traded there');
    // The first request opens the connection.
    await ask(exchange);
    const sent = performance.now();
    await ask(exchange);
    const tookMs = Math.round(performance.now() - sent);
    const found = `${url} answers in ${tookMs} ms`;
    return tookMs > SLOW_MS ? warning(found, 'see to the network, or run nearer to the exchange') : ok(found);
  },
});

export const spotReachable = reachable('spot', 'spot', (client) => client.spotTime());
export const futuresReachable = reachable('futures', 'futures', (client) => client.futuresTime());
