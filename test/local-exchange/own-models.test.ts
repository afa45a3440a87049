import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { FillsSchema } from '../../src/app/config/schema/fills-schema.ts';
import { fillSettings, ownModels } from '../../src/app/planning/own-models.ts';
import { TidegateError } from '../../src/model/errors.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { BTC, type Local, spotOrder, startLocal } from './local.ts';

const folder = temporaryFolder('models');
const stateFile = join(folder, 'state');
let local: Local | undefined;
afterEach(() => local?.close());

/** Settings with two models: three ticks of slippage, and this fee rate. */
async function modelled(rate: string) {
  const file = join(folder, `m${rate}.mjs`);
  writeFileSync(
    file,
    `export class Slip { slippageTicks() { return 3; } }
     export class Fee { fee({ amount }) { return amount.times('${rate}'); } }`,
  );
  const config = FillsSchema.parse({ slippage: { file }, fee: { file } });
  return fillSettings(config, (await ownModels({ fills: config }, ['fills'])).models);
}

test('the local exchange fills with models, and continues its state only with the same ones', async () => {
  local = await startLocal({ fills: await modelled('0.02'), stateFile });
  const client = local.client();
  local.price('BTC-USDT', '100');
  const orderList = [spotOrder({ orderType: 'market', price: undefined, quantity: '50' })];
  await client.batchOrders({ symbol: BTC, orderList });
  // 50 USDT at 100.03, in steps of 0.0001: 0.4998 BTC, of which 2 % are the fee.
  expect((await client.fills({ symbol: BTC })).fillsOrderResultList).toMatchObject([{ fillPrice: '100.03', fees: '0.009996' }]);
  await local.close();
  local = await startLocal({ fills: await modelled('0.02'), stateFile });
  expect((await local.client().fills({ symbol: BTC })).fillsOrderResultList).toMatchObject([{ fillPrice: '100.03', fees: '0.009996' }]);
  await local.close();
  local = undefined;
  const other = await startLocal({ fills: await modelled('0.03'), stateFile }).catch((error: unknown) => error);
  expect(other).toBeInstanceOf(TidegateError);
  expect(other).toMatchObject({ code: 'DATA_INVALID', message: expect.stringContaining('with other instruments, accounts or rules') });
});
