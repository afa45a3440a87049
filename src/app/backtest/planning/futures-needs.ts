import { TidegateError } from '../../../model/errors.ts';
import type { Config } from '../../config/schema/schema.ts';
import { type FeedNeeds, type FuturesEventKind, kindText } from './data-use.ts';

const SETTING = { mark: 'marks', funding: 'funding' } as const satisfies Record<FuturesEventKind, string>;
const OFF: Readonly<Record<FuturesEventKind, string>> = { mark: 'last', funding: 'none' };
const REMEDY: Readonly<Record<FuturesEventKind, string>> = {
  mark: 'import marks (`tidegate data import` with `--kind mark`)',
  funding: 'import funding (`tidegate data import` with `--kind funding`), or set backtest.futures.funding to a constant rate',
};

/**
 * Refuses a run in which a strategy would wait in vain for marks or funding of a perpetual that it trades.
 * @throws TidegateError CONFIG_INVALID, DATA_NOT_FOUND.
 */
export function requireFuturesNeeds(
  { account, backtest }: Config,
  needs: readonly FeedNeeds[],
  has: (symbol: string, kind: FuturesEventKind) => boolean,
): void {
  for (const { id, symbols, futuresKinds } of needs) {
    for (const kind of futuresKinds) {
      const text = `strategy "${id}" needs ${kindText(kind)}`;
      const contracts = symbols.filter((symbol) => symbol.endsWith('-PERP'));
      if (account.kind !== 'futures')
        throw new TidegateError('CONFIG_INVALID', `${text}, which a ${account.kind} account is not told: use account.kind futures`);
      if (contracts.length === 0) throw new TidegateError('CONFIG_INVALID', `${text}, but trades no futures instrument (-PERP)`);
      const missing = contracts.find((symbol) => !has(symbol, kind));
      if (missing === undefined) continue;
      if (backtest.futures?.[SETTING[kind]] === OFF[kind])
        throw new TidegateError('CONFIG_INVALID', `${text}, but backtest.futures.${SETTING[kind]} is ${OFF[kind]}`);
      throw new TidegateError('DATA_NOT_FOUND', `${text}, but none of ${missing} is recorded: ${REMEDY[kind]}`);
    }
  }
}
