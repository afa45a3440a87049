/** The leverage of contracts, a read beyond the twenty operations of the document. */
export const EXCHANGE_OPERATION = {
  title: 'Add an exchange operation',
  change: 'futuresSettings: the leverage of each contract',
  edits: [
    {
      step: 1,
      file: 'src/exchange/operations/operation-table.ts',
      before: '} as const satisfies Record<string, OperationRow>;',
      text: "  futuresSettings: row(undefined, 'Leverage of contracts', 'GET /capi/v2/account/settings', 'futures', 'bare', '1/1', 'account'),\n",
    },
    {
      step: 2,
      file: 'src/exchange/operations/requests.ts',
      before: 'export const FuturesAccountRequest =',
      text: '/** Without a symbol, all contracts. */\nexport const FuturesSettingsRequest = z.object({ symbol: maybe(name) });\n\n',
    },
    {
      step: 2,
      file: 'src/exchange/operations/records.ts',
      before: '/** The futures ticker, beyond the twenty:',
      text: `/** The leverage of contracts by symbol, beyond the twenty. */
export const FuturesSettingsRecord = z.record(
  z.string(),
  z.object({ isolated_long_leverage: decimal, isolated_short_leverage: decimal, cross_leverage: decimal }),
);

`,
    },
    { step: 2, file: 'src/exchange/operations/operations.ts', after: '  FuturesOrderRecord,\n', text: '  FuturesSettingsRecord,\n' },
    { step: 2, file: 'src/exchange/operations/operations.ts', after: '  FuturesOrdersRequest,\n', text: '  FuturesSettingsRequest,\n' },
    {
      step: 2,
      file: 'src/exchange/operations/operations.ts',
      before: '} as const satisfies Record<OperationName, Operation>;',
      text: "  futuresSettings: operation('futuresSettings', FuturesSettingsRequest, FuturesSettingsRecord),\n",
    },
    {
      step: 3,
      file: 'src/exchange/client/exchange-client.ts',
      before: '  /** Measures how far the exchange',
      text: `  /** Beyond the twenty: the leverage of one contract (\`symbol\`) or of all, a multiple. Weight 1/1. */
  futuresSettings(request: RequestOf<'futuresSettings'> = {}): Promise<PayloadOf<'futuresSettings'>> {
    return this.#caller.call('futuresSettings', request);
  }

`,
    },
    {
      step: 4,
      file: 'src/local-exchange/operations/futures.ts',
      before: '/** A collateral in operation 16:',
      text: `/** Beyond the twenty: the leverage of one contract or of all, by symbol. @throws Refusal 40102. */
export function futuresSettings({ symbol }: RequestOf<'futuresSettings'>, { exchange, account }: Call): PayloadOf<'futuresSettings'> {
  const only = symbol === undefined ? undefined : listed(exchange, 'futures', symbol);
  const contracts = account.futures.record().contracts.filter(({ instrument }) => only === undefined || instrument === only);
  return Object.fromEntries(
    contracts.map((setting) => {
      const { isolated_long_leverage, isolated_short_leverage, cross_leverage } = leverageSetting(setting, '');
      return [wireSymbol(setting.instrument.symbol), { isolated_long_leverage, isolated_short_leverage, cross_leverage }];
    }),
  );
}

`,
    },
    {
      step: 4,
      file: 'src/local-exchange/http/answering.ts',
      replace: 'futuresOrders, singlePosition, triggerOrder }',
      text: 'futuresOrders, futuresSettings, singlePosition, triggerOrder }',
    },
    {
      step: 4,
      file: 'src/local-exchange/http/answering.ts',
      replace: '  futuresCandles,\n};',
      text: '  futuresCandles,\n  futuresSettings,\n};',
    },
    {
      step: 5,
      file: 'test/contracts/exchange/futures-settings.test.ts',
      create: `import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { failure, type Local, PERP, startLocal } from '../../local-exchange/local.ts';

let local: Local;
beforeAll(async () => {
  local = await startLocal();
});
afterAll(() => local.close());

const LEVERAGE = { isolated_long_leverage: '10', isolated_short_leverage: '10', cross_leverage: '10' };

test('futuresSettings replies with the leverage of each contract, or of one', async () => {
  expect(await local.client().futuresSettings()).toEqual({ [PERP]: LEVERAGE });
  expect(await local.client().futuresSettings({ symbol: PERP })).toEqual({ [PERP]: LEVERAGE });
});

test('futuresSettings is refused for a symbol that is not listed', async () => {
  const error = await failure(local.client().futuresSettings({ symbol: 'cmt_dogeusdt' }));
  expect(error).toMatchObject({ code: 'EXCHANGE_REFUSED', exchangeCode: '40102' });
});
`,
    },
    {
      step: 5,
      file: 'test/exchange/document.test.ts',
      after: "    '/capi/v2/market/candles',\n",
      text: "    '/capi/v2/account/settings',\n",
    },
  ],
  writers: [{ file: 'test/docs/exchange.test.ts', name: 'the tables of', env: { RENEW_GOLDEN: '1' } }],
  writes: ['docs/reference/exchange-operations.md'],
  tests: [
    { file: 'test/contracts/exchange/futures-settings.test.ts', name: 'futuresSettings' },
    { file: 'test/exchange/document.test.ts', name: 'the table of operations is the summary' },
    { file: 'test/docs/exchange.test.ts', name: 'the tables of' },
  ],
};
