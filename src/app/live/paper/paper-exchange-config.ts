import type { z } from 'zod';
import type { Config } from '../../config/schema/schema.ts';
import { type ExchangeConfig, ExchangeConfigSchema } from '../../local-exchange/exchange-config.ts';

/** The bot's account at its local exchange. */
const ACCOUNT = 'bot';

/** The local exchange that a bot's config describes: its instruments, one account with its balances, its fill rules. */
export function paperExchangeConfig(config: Config): ExchangeConfig {
  const { account, backtest, dataDir, instruments, live, name } = config;
  const isFutures = account.kind === 'futures';
  const { markMaxAge: _, liquidation, insuranceFund } = backtest.futures ?? {};
  const exchange: z.input<typeof ExchangeConfigSchema> = {
    name,
    dataDir,
    instruments,
    accounts: [
      { name: ACCOUNT, balances: isFutures ? { futures: account.balances, spot: account.spot ?? {} } : { spot: account.balances } },
    ],
    margin: account.margin ?? {},
    fills: backtest.fills,
    matching: { liquidation, insuranceFund },
    behaviour: { marketBuyByQuote: live?.marketBuyByQuote ?? true, batchLimit: live?.batchLimit },
  };
  return ExchangeConfigSchema.parse(exchange);
}
