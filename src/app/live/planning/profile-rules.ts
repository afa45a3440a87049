import { type ErrorCode, TidegateError } from '../../../model/errors.ts';
import { type FeedNeeds, kindText } from '../../backtest/planning/data-use.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import type { ConfigPath } from '../../config/reading/config-path.ts';
import { formatAt } from '../../config/reading/problem.ts';
import type { BotMode } from '../process/bot-folder.ts';

/** What the exchange tells prices by. Bars are built from tickers. */
const TOLD = ['bar', 'ticker', 'mark'];

/**
 * Refuses what the exchange cannot give: its API tells last prices, and mark prices of contracts, and no more.
 * @param needs of the strategies, once they are loaded.
 * @throws TidegateError VENUE_CANNOT at its place in the config.
 */
export function requireProfile(loaded: LoadedConfig, mode: BotMode, needs: readonly FeedNeeds[] = []): void {
  const { account, instruments, live } = loaded.config;
  const refuse = (path: ConfigPath, message: string, code: ErrorCode = 'VENUE_CANNOT') => {
    throw new TidegateError(code, formatAt(loaded.locate(path), `${path.join('.')}: ${message}`, path));
  };
  if (account.kind === 'netting') {
    refuse(['account', 'kind'], 'the exchange has no netting accounts: they are for backtests; use spot or futures');
  }
  for (const symbol of Object.keys(instruments).filter((name) => name.endsWith('-PERP'))) {
    if (mode !== 'live' || live?.futuresTicker !== false) continue;
    refuse(['instruments', symbol], 'its price comes from a futures ticker, and live.futuresTicker says that there is none');
  }
  needs.forEach(({ id, symbols, kinds, futuresKinds }, index) => {
    const missing = [...kinds, ...futuresKinds].find((kind) => !TOLD.includes(kind));
    const path = ['strategies', index];
    const wanted = `strategy "${id}" needs ${missing === undefined ? 'marks' : kindText(missing)}`;
    if (missing !== undefined)
      refuse(path, `${wanted}, which the exchange does not tell: only tickers, marks, and bars built from tickers`);
    if (!futuresKinds.includes('mark') || symbols.some((symbol) => symbol.endsWith('-PERP'))) return;
    refuse(path, `${wanted}, but trades no futures instrument (-PERP)`, 'CONFIG_INVALID');
  });
}
