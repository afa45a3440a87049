// npm run worst-replies: the typed client receives the worst answers that its bounds allow, and longer ones, each kind in a process of its own.
// Its memory must stay below 400 MB, and no turn of its event loop may take more than 1 s.
import { createServer } from 'node:http';
import { bundledProof, resultsOf } from './long-proof.mjs';
import { installIfNeeded, requireNode } from './tools.mjs';

const MOST_MEGABYTES = 400;
const LONGEST_MS = 1_000;

requireNode();
await installIfNeeded();
const program = await bundledProof('worst-replies');

const MEGABYTE = 1024 * 1024;
const filled = (start, part, end) => (bytes) => start + part.repeat(Math.floor((bytes - start.length - end.length) / part.length)) + end;
const list = (part) => filled('{"code":"00000","data":[', `${part},`, `${part}]}`);
const fills = (part) => filled('{"code":"00000","data":{"nextPage":false,"totals":1,"fillsOrderResultList":[', `${part},`, `${part}]}}`);
const ticker =
  '{"symbol":"BTCUSDT","priceChange":"1.5","priceChangePercent":"0.1","lastPrice":"60000.5","bidPrice":"1","bidQty":"1","askPrice":"2","askQty":"1","high":"1","low":"1","volume":"1","quoteVolume":"1","trades":1,"ts":1700000000000,"close":"60000.5","openTime":1,"closeTime":1,"firstId":1,"lastId":1,"vol":"1","changeRate":"0.1"}';

const KINDS = {
  'empty records': list('{}'),
  'records that are numbers': list('0'),
  'records that are fractions': list('0.5'),
  'records that are long numbers': list('12345678901234567890'),
  'records that are lists': list('[]'),
  'deep lists': list('[[[[[[[[[]]]]]]]]]'),
  tickers: list(ticker),
  'wrong fills': fills('{}'),
  'fills that are fractions': fills('0.5'),
  'levels of a book': filled('{"timestamp":1,"bids":[],"asks":[', '["1.5","1"],', '["1.5","1"]]}'),
  'one long number': filled('{"code":"00000","data":', '7', '}'),
  'one long fraction': filled('{"code":"00000","data":[{"lastPrice":0.', '7', '}]}'),
  'one long text': filled('{"code":"00000","data":[{"symbol":"', 'x', '"}]}'),
  'a long refusal of escapes': filled('{"code":"43001","msg":"', '\\u001b[2J', '"}'),
  'a long code': filled('{"code":"', '7', '"}'),
  'many fields': (bytes) => `{${Array.from({ length: Math.floor(bytes / 16) }, (_, at) => `"a${at}":0.5`).join(',')}}`.slice(0, bytes),
  nesting: filled('', '[', ''),
  'spaces and digits': filled('{"code":"00000", "data":[', ' 1', ']}'),
  'no UTF-8': (bytes) => Buffer.alloc(bytes, 0xff),
};

// Each process adds its listeners of signals.
process.setMaxListeners(2 * Object.keys(KINDS).length);

let body;
const server = createServer(({ url = '' }, response) => {
  const bytes = (url.includes('tickers') ? 2 : 1) * MEGABYTE;
  response.setHeader('content-type', 'application/json');
  if (body !== undefined) {
    response.end(body(bytes));
    return;
  }
  // Without end, and without a length.
  const chunk = Buffer.alloc(MEGABYTE, ' ');
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${server.address().port}`;

let isWrong = false;
for (const [kind, make] of [...Object.entries(KINDS), ['a body without end', undefined]]) {
  body = make;
  const [result] = await resultsOf(program, 1, () => [origin]);
  if (result === undefined) {
    console.log(`  ${kind}: the client ended`);
    isWrong = true;
    continue;
  }
  const { megabytes, turnMs, outcomes } = result;
  const isOver = megabytes >= MOST_MEGABYTES || turnMs > LONGEST_MS;
  isWrong ||= isOver;
  console.log(`${isOver ? '  over: ' : ''}${kind}: ${megabytes} MB, longest turn ${turnMs} ms`);
  if (process.argv.includes('--outcomes')) for (const outcome of outcomes) console.log(`    ${outcome}`);
}
server.closeAllConnections();
server.close();
process.exitCode = isWrong ? 1 : 0;
