import type { SlippageModel } from '../../../matching/settings.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { PriceEventKind } from '../../../model/market-events.ts';
import type { Config } from '../../config/schema/schema.ts';

type Model = SlippageModel extends infer One ? (One extends SlippageModel ? keyof One : never) : never;

/** Kinds of price from which a model knows what it needs, and what that is. */
const NEEDS: Readonly<Record<Model, { readonly kinds: readonly PriceEventKind[]; readonly what: string }>> = {
  spread: { kinds: ['quote'], what: 'a spread, which quotes tell, or `halfSpreadTicks` above 0' },
  volumeShare: { kinds: ['bar'], what: 'the volume of bars' },
  squareRoot: { kinds: ['bar', 'trade'], what: 'volumes, which bars and trades tell' },
};

/**
 * Slippage is modelled where no book tells what an order costs.
 * @throws TidegateError CONFIG_INVALID where the prices of a run do not tell what the model needs, or tell the book itself.
 */
export function requireSlippageData({ slippage, halfSpreadTicks }: Config['backtest']['fills'], kinds: readonly PriceEventKind[]): void {
  if (slippage === undefined) return;
  const [model] = Object.keys(slippage) as [Model];
  const where = `backtest.fills.slippage.${model}`;
  if (kinds.includes('depth'))
    throw new TidegateError('CONFIG_INVALID', `${where}: takers walk the levels of a recorded book: leave it out`);
  const { kinds: serving, what } = NEEDS[model];
  if (serving.some((kind) => kinds.includes(kind)) || (model === 'spread' && halfSpreadTicks > 0)) return;
  throw new TidegateError('CONFIG_INVALID', `${where}: needs ${what}, and the run is fed by ${kinds.join(' and ')} data`);
}
