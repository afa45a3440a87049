import { TidegateError } from '../../model/errors.ts';
import { receivedError } from '../backtest/worker-protocol.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { SearchPlan } from './search-plan.ts';
import type { JobEnd, TrialRunner } from './trial-pool.ts';
import type { PlanReply, TrialTerms, UsedSeries } from './worker-protocol.ts';

/** The facts that all trials of a search share. */
export interface Ground {
  /** Epoch ms: the latest start of the space. */
  readonly from: number;
  /** The start is set for every trial, because trials would start at different times. */
  readonly setsFrom: boolean;
  readonly series: readonly UsedSeries[];
  readonly code: string;
  /** The plan of the config as it is, or of the first point that can be planned. */
  readonly first: { readonly set: readonly string[]; readonly plan: PlanReply };
}

interface GroundParts {
  readonly loaded: LoadedConfig;
  readonly plan: SearchPlan;
  readonly pool: TrialRunner;
  readonly terms: TrialTerms;
}

/** Plans the config as it is and the ends of the space. @throws the error of the config, if no point can be planned. */
export async function groundOf({ loaded, plan, pool, terms }: GroundParts): Promise<Ground> {
  const settings = [[], ...plan.corners().map((point) => plan.settingsOf(point))];
  const ends = await Promise.all(settings.map((set) => pool.run({ kind: 'plan', terms, set })));
  const plans = ends.filter((one): one is { kind: 'plan' } & PlanReply => one.kind === 'plan');
  const [first] = plans;
  if (first === undefined) throw errorOf(ends[0]!);
  const from = Math.max(...plans.map((one) => one.from));
  const series = new Map(plans.flatMap((one) => one.series.map((used) => [used.key, used] as const)));
  return {
    from,
    setsFrom: loaded.config.backtest.from === undefined && plans.some((one) => one.from !== from),
    series: [...series.values()].sort((a, b) => (a.key < b.key ? -1 : 1)),
    code: first.code,
    first: { set: settings[ends.indexOf(first)]!, plan: first },
  };
}

/** The error of a job that did not come to its end. */
export function errorOf(end: JobEnd): Error {
  if (end.kind === 'failed') return receivedError(end.failure);
  return new TidegateError('DATA_INVALID', 'text' in end ? `a worker ${end.text}` : 'a worker sent the wrong reply');
}
