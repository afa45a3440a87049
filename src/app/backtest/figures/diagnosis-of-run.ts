import { diagnose } from '../../../statistics/diagnosis/diagnose.ts';
import type { DelayedRun, FillAssumptions } from '../../../statistics/diagnosis/diagnosed.ts';
import type { Finding } from '../../../statistics/diagnosis/finding.ts';
import type { BacktestPlan } from '../backtest-plan.ts';
import type { DiagnosisRecorder } from '../recorders/diagnosis-recorder.ts';
import type { MarginRecorder } from '../recorders/margin-recorder.ts';
import type { SimulatedRun } from '../simulate-run.ts';
import type { Figures } from './figures.ts';
import { parameterSettings } from './parameter-settings.ts';

export interface DiagnosisParts {
  readonly plan: BacktestPlan;
  readonly run: SimulatedRun;
  readonly figures: Figures;
  readonly observed: DiagnosisRecorder;
  /** Of futures accounts. */
  readonly margin: MarginRecorder | undefined;
  /** The same with everything later, where it was run again. */
  readonly delayed: DelayedRun | undefined;
}

/** What a reviewer would say of a run; undefined for one that broke, was stopped or saw no prices: its figures are not the strategy's. */
export function diagnosisOf({ plan, run, figures, observed, margin, delayed }: DiagnosisParts): Finding[] | undefined {
  if (run.failure !== undefined || run.interrupted || run.marketEvents === 0) return undefined;
  const { recorder } = run;
  const denied = recorder.denied.filter(({ by }) => by === 'risk').length;
  const nearest = margin?.nearestLiquidation;
  return diagnose({
    ...figures,
    context: {
      strategies: plan.strategies.map(({ id, params, schema }) => {
        return { id, parameters: parameterSettings(params, schema), stopsAsked: recorder.stopsAsked.get(id) ?? 0 };
      }),
      intents: recorder.intents,
      orders: recorder.orders,
      denied,
      rejected: recorder.denied.length - denied,
      fills: fillAssumptions(plan),
      pathFills: run.pathFills,
      bars: observed.bars,
      gaps: observed.gaps,
      liquidationDistance: nearest === undefined || !Number.isFinite(nearest) ? undefined : nearest,
      delayed,
    },
  });
}

function fillAssumptions({ fills, sources }: BacktestPlan): FillAssumptions {
  const onBars = sources.some(({ kind }) => kind === 'bar');
  const isSet = fills.slippageBps > 0 || fills.slippage !== undefined || (!onBars && fills.halfSpreadTicks > 0);
  const recorded = sources.some(({ kind }) => kind === 'quote' || kind === 'depth');
  return {
    spread: recorded ? 'recorded' : isSet ? 'set' : 'none',
    marketAtClose: onBars && fills.market === 'close',
    worstPath: fills.path === 'worst',
    fillsOnTouch: fills.limit === 'touch',
  };
}
