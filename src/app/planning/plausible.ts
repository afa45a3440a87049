import { Decimal } from '../../model/decimal.ts';
import type { SeriesMeta } from '../../recording/columns/series-meta.ts';
import type { RunMode } from '../../strategy/strategy.ts';
import { type ConfigPath, formatPath } from '../config/reading/tree.ts';
import type { Config } from '../config/schema/schema.ts';

/** No exchange takes more than this share of a trade. */
const HIGHEST_FEE = 0.01;
/** Less slippage than this, in basis points, is a share or a percentage by mistake. */
const LEAST_BPS = 0.1;
/** No order arrives in less than this, in ms, but one without any latency. */
const LEAST_MS = 1;
/** Losses below this share happen at every trade. */
const LEAST_LOSS = 0.001;

/** Limits of losses that are shares: where `true`, trading latches there, so that 1 never latches before the account is lost. */
const LOSS_LIMITS: Readonly<Record<string, boolean>> = { maxDrawdown: true, dailyLoss: true, maxLossPerTrade: false };

/**
 * Settings that are legal and surely meant otherwise, one text for each with the path of the setting. The run goes on.
 * @param series the recorded prices of the run, as far as they are known.
 */
export function implausible(config: Config, mode: RunMode, series: readonly SeriesMeta[]): string[] {
  return [
    ...feeDoubts(config),
    ...Object.entries(config.instruments).flatMap(([symbol, terms]) => swappedGrids(symbol, terms, series)),
    ...lossDoubts(config),
    ...(mode === 'live' ? [] : slippageDoubts(config)),
    ...(mode === 'backtest' ? latencyDoubts(config) : []),
  ];
}

const doubt = (path: ConfigPath, text: string) => `${formatPath(path)}: ${text}`;

/** `0.1` is `10 %`. */
const percentOf = (share: Decimal | string) => `${new Decimal(share).times(100).toFixed()} %`;

function feeDoubts({ instruments, strategies, backtest }: Config): string[] {
  const traded = new Set(strategies.flatMap(({ symbols }) => symbols));
  return Object.entries(instruments).flatMap(([symbol, { makerFee, takerFee }]) => {
    if (!traded.has(symbol) || backtest.fills.fee !== undefined) return [];
    if (Number(makerFee) === 0 && Number(takerFee) === 0)
      return [doubt(['instruments', symbol], 'makerFee and takerFee are 0: hardly any account trades without fees')];
    const high = Object.entries({ makerFee, takerFee }).filter(([, rate]) => Math.abs(Number(rate)) > HIGHEST_FEE);
    return high.map(([key, rate]) =>
      doubt(['instruments', symbol, key], `${rate} is ${percentOf(rate)} of each fill; a fee is a share: 0.001 is 0.1 %`),
    );
  });
}

/** Prices that have exactly the places of the step, and not those of the tick. */
function swappedGrids(
  symbol: string,
  { tickSize, stepSize }: { readonly tickSize: string; readonly stepSize: string },
  series: readonly SeriesMeta[],
): string[] {
  const priced = series.find((one) => one.symbol === symbol && one.kind !== 'mark' && one.kind !== 'funding');
  if (priced === undefined) return [];
  const [tick, step, found] = [tickSize, stepSize, priced.priceStep].map((text) => new Decimal(text));
  if (tick!.eq(step!) || tick!.eq(found!) || !step!.eq(found!)) return [];
  return [
    doubt(
      ['instruments', symbol],
      `tickSize ${tickSize} and stepSize ${stepSize} may be swapped: the recorded prices are multiples of ${priced.priceStep}`,
    ),
  ];
}

function lossDoubts({ risk }: Config): string[] {
  const scopes: [ConfigPath, object][] = [
    [['risk', 'account'], risk.account],
    ...Object.entries(risk.strategies).map(([id, limits]): [ConfigPath, object] => [['risk', 'strategies', id], limits]),
  ];
  return scopes.flatMap(([path, limits]) =>
    Object.entries(LOSS_LIMITS).flatMap(([key, latches]) => {
      const [at, share] = shareOf([...path, key], (limits as Record<string, unknown>)[key], latches);
      if (share === undefined) return [];
      if (latches && Number(share) === 1)
        return [doubt(at, `1 is 100 %: it latches when the whole account is lost; a limit is a share: 0.01 is 1 %`)];
      return Number(share) < LEAST_LOSS ? [doubt(at, `${share} is ${percentOf(share)}; a limit is a share: 0.2 is 20 %`)] : [];
    }),
  );
}

/** The share of a limit that is `"0.2"`, or a map with it. @param isShare whether the plain text is a share, and not an amount. */
function shareOf(path: ConfigPath, limit: unknown, isShare: boolean): [ConfigPath, string | undefined] {
  if (typeof limit === 'string') return [path, isShare ? limit : undefined];
  const key = isShare ? 'limit' : 'share';
  return [[...path, key], (limit as Record<string, string | undefined> | undefined)?.[key]];
}

function slippageDoubts({ backtest: { fills } }: Config): string[] {
  const { slippageBps } = fills;
  if (slippageBps === 0 || slippageBps >= LEAST_BPS) return [];
  const path = ['backtest', 'fills', 'slippageBps'];
  return [doubt(path, `${slippageBps} basis points are ${percentOf(new Decimal(slippageBps).div(10_000))}: 5 is 0.05 %`)];
}

function latencyDoubts({ backtest: { latency } }: Config): string[] {
  return (['feedMs', 'entryMs', 'responseMs', 'cancelMs'] as const).flatMap((leg) => {
    const ms = latency[leg];
    if (typeof ms !== 'number' || ms === 0 || ms >= LEAST_MS) return [];
    return [doubt(['backtest', 'latency', leg], `${ms} is ${new Decimal(ms).times(1_000).toFixed()} microseconds: the unit is ms`)];
  });
}
