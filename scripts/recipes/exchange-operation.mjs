/** The names of the spot pairs, a read beyond the twenty operations of the document. */
export const EXCHANGE_OPERATION = {
  title: 'Add an exchange operation',
  change: 'products: the names of the spot pairs',
  edits: [
    {
      step: 1,
      file: 'src/exchange/operations/operation-table.ts',
      before: '} as const satisfies Record<string, OperationRow>;',
      text: "  products: row(undefined, 'Names of pairs', 'GET /api/v2/public/products', 'spot', 'standard', '1/-', 'market'),\n",
    },
    {
      step: 2,
      file: 'src/exchange/operations/requests.ts',
      before: 'export const FuturesAccountRequest =',
      text: '/** The quote whose pairs are named; without one, all. */\nexport const ProductsRequest = z.object({ quote: maybe(name) });\n\n',
    },
    {
      step: 2,
      file: 'src/exchange/operations/records.ts',
      before: '/** The futures ticker, beyond the twenty:',
      text: '/** Names of pairs, beyond the twenty. */\nexport const Products = z.array(text);\n\n',
    },
    { step: 2, file: 'src/exchange/operations/operations.ts', after: '  InvitedUserRecord,\n', text: '  Products,\n' },
    { step: 2, file: 'src/exchange/operations/operations.ts', after: '  OrderInfoRequest,\n', text: '  ProductsRequest,\n' },
    {
      step: 2,
      file: 'src/exchange/operations/operations.ts',
      before: '} as const satisfies Record<OperationName, Operation>;',
      text: "  products: operation('products', ProductsRequest, Products),\n",
    },
    {
      step: 3,
      file: 'src/exchange/client/exchange-client.ts',
      before: '  /** Measures how far the exchange',
      text: `  /** Beyond the twenty: the names of the spot pairs, of one \`quote\` or all. Weight 1. */
  products(request: RequestOf<'products'> = {}): Promise<PayloadOf<'products'>> {
    return this.#caller.call('products', request);
  }

`,
    },
    {
      step: 4,
      file: 'src/local-exchange/operations/market.ts',
      before: '/** Operation 3. @throws Refusal 40725',
      text: `/** Beyond the twenty: the names of the listed pairs. */
export function products({ quote }: RequestOf<'products'>, { exchange }: PublicCall): PayloadOf<'products'> {
  const pairs = listedOf(exchange, 'spot').filter((instrument) => quote === undefined || instrument.quote === quote);
  return pairs.map(({ symbol }) => wireSymbol(symbol));
}

`,
    },
    {
      step: 4,
      file: 'src/local-exchange/http/answering.ts',
      replace: '  futuresTime,\n  spotTime,\n  ticker,',
      text: '  futuresTime,\n  products,\n  spotTime,\n  ticker,',
    },
    {
      step: 4,
      file: 'src/local-exchange/http/answering.ts',
      replace: '  fundingHistory,\n};',
      text: '  fundingHistory,\n  products,\n};',
    },
    {
      step: 5,
      file: 'test/contracts/exchange/products.test.ts',
      create: `import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Local, startLocal } from '../../local-exchange/local.ts';

let local: Local;
beforeAll(async () => {
  local = await startLocal();
});
afterAll(() => local.close());

test('products replies with the names of the pairs, of one quote or of all', async () => {
  expect(await local.client().products()).toEqual(['BTCUSDT_SPBL', 'ETHUSDT_SPBL']);
  expect(await local.client().products({ quote: 'EUR' })).toEqual([]);
});
`,
    },
    {
      step: 5,
      file: 'test/exchange/document.test.ts',
      after: "    'GET /capi/v2/market/getHistoryFundRate 5 / -',\n",
      text: "    'GET /api/v2/public/products 1 / -',\n",
    },
  ],
  writers: [{ file: 'test/docs/exchange.test.ts', name: 'the tables of', env: { RENEW_GOLDEN: '1' } }],
  writes: ['docs/reference/exchange-operations.md'],
  tests: [
    { file: 'test/contracts/exchange/products.test.ts', name: 'products' },
    { file: 'test/exchange/document.test.ts', name: 'the table of operations is the summary' },
    { file: 'test/docs/exchange.test.ts', name: 'the tables of' },
  ],
};
