import { Random } from '../../src/model/random.ts';
import { type Local, type RawReply, startLocal } from '../local-exchange/local.ts';
import { leftFrozen, wrongBooks } from './books.ts';
import { FuzzedRequests, type Known } from './requests.ts';

// A local exchange and its fuzzed requests: prints one line of JSON. Called by scripts/fuzz.mjs.
const [requests = 50_000, seed = 1] = process.argv.slice(2).map(Number);

/** Requests between two moves of time and prices. */
const TURN = 10;
/** Requests between two checks of the books. */
const CHECK = 1_000;
const MOST_IDS = 200;
const WEEK_MS = 7 * 86_400_000;

const random = new Random(seed, 'fuzz');
const fuzzed = new FuzzedRequests(random);
const known = { clientIds: ['none'], orderIds: ['1'], uids: ['1', '9223372036854775807'] };
const statuses: Record<string, number> = {};
const wrong: string[] = [];

const local = await startLocal();
const { exchange } = local.exchange;
known.uids.push(...exchange.accounts.all.map(({ uid }) => uid));
move(local);
for (let sent = 0; sent < requests; sent++) {
  if (sent % TURN === 0) move(local);
  if (sent % CHECK === 0) wrong.push(...wrongBooks(exchange).map((what) => `after ${sent} requests: ${what}`));
  const raw = fuzzed.next({ ...known, time: local.exchange.now() } satisfies Known);
  const reply = await local.send(raw).catch((error: Error) => error);
  if (reply instanceof Error) wrong.push(`request ${sent}: no reply (${reply.message}) to ${JSON.stringify(raw).slice(0, 300)}`);
  else take(reply, `request ${sent}: ${JSON.stringify(raw).slice(0, 300)}`);
}
for (const account of exchange.accounts.all)
  for (const { key } of account.orders.live) exchange.perform('cancel', { uid: account.uid, key }, local.exchange.now());
// Withdrawals on their way arrive.
local.step(WEEK_MS);
wrong.push(...wrongBooks(exchange), ...leftFrozen(exchange));
const fills = exchange.accounts.all.reduce((sum, { orders }) => sum + orders.fills.length, 0);
const orders = exchange.accounts.all.reduce((sum, account) => sum + account.orders.all.length, 0);
process.stdout.write(
  `${JSON.stringify({ requests, statuses, orders, fills, withdrawals: exchange.treasury.withdrawals.length, wrong })}\n`,
);
await local.close();

function take({ status, text }: RawReply, what: string): void {
  statuses[status] = (statuses[status] ?? 0) + 1;
  if (status >= 500) wrong.push(`${status} to ${what}: ${text.slice(0, 200)}`);
  const found = [...text.matchAll(/"(?:orderId|order_id|id)":"?(\d{6,19})/g)].map(([, id]) => id as string);
  known.orderIds.push(...found.slice(0, 3));
  if (known.orderIds.length > MOST_IDS) known.orderIds.splice(0, known.orderIds.length - MOST_IDS);
  if (known.clientIds.length > MOST_IDS) known.clientIds.splice(0, known.clientIds.length - MOST_IDS);
}

/** Time and prices move, and sometimes money between two wallets; prices stay within 3 % of 100, so that no position is liquidated: its books are those of an insurance, too. */
function move(to: Local): void {
  to.step(Math.floor(random.uniform() * 5_000));
  for (const symbol of ['BTC-USDT', 'ETH-USDT', 'BTC-USDT-PERP'])
    to.price(symbol, (97 + Math.floor(random.uniform() * 61) / 10).toFixed(1));
  const [from, other] = random.uniform() < 0.5 ? (['spot', 'futures'] as const) : (['futures', 'spot'] as const);
  const amount = (random.uniform() * 10).toFixed(6);
  try {
    if (random.uniform() < 0.2) to.exchange.control.transfer('guest', 'USDT', amount, from, other);
  } catch {
    // The books are the same without it.
  }
}
