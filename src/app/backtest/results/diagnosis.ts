import { z } from 'zod';
import type { Instrument } from '../../../model/instrument.ts';
import type { MarketEventKind } from '../../../model/market-events.ts';
import type { DelayedRun, FillAssumptions, Finding, ParameterSetting } from '../../../statistics/diagnosis/check.ts';
import { diagnose } from '../../../statistics/diagnosis/diagnose.ts';
import type { BacktestPlan } from '../../planning/run-plans.ts';
import type { DiagnosisRecorder } from '../recorders/diagnosis-recorder.ts';
import type { MarginRecorder } from '../recorders/margin-recorder.ts';
import type { SimulatedRun } from '../simulate-run.ts';
import type { Figures } from './figures.ts';

interface DiagnosisParts {
  readonly plan: BacktestPlan;
  readonly run: SimulatedRun;
  readonly figures: Figures;
  readonly observed: DiagnosisRecorder;
  /** Only for futures accounts. */
  readonly margin: MarginRecorder | undefined;
  /** The result of the delayed run, if there was one. */
  readonly delayed: DelayedRun | undefined;
}

/** The findings about a run; undefined if it failed, was stopped or had no prices: then its figures do not describe the strategy. */
export function diagnosisOf({ plan, run, figures, observed, margin, delayed }: DiagnosisParts): Finding[] | undefined {
  if (run.failure !== undefined || run.interrupted || run.marketEvents === 0) return undefined;
  const { recorder } = run;
  const denied = recorder.denials.byRisk;
  const nearest = margin?.nearestLiquidation;
  return diagnose({
    ...figures,
    context: {
      strategies: plan.strategies.map(({ id, params, schema }) => {
        return { id, parameters: parameterSettings(params, schema), stopsAsked: recorder.stopsAsked.get(id) ?? 0 };
      }),
      intents: recorder.orderIntents,
      orders: recorder.orders,
      denied,
      deniedByPauses: recorder.denials.wanted,
      rejected: recorder.denials.count - denied,
      unsentExits: {
        count: recorder.unsentExits.length,
        final: recorder.unsentExits.filter(({ kind }) => kind === 'exitRefused').length,
        first: recorder.unsentExits[0]?.code ?? '',
      },
      fills: fillAssumptions(plan),
      pathFills: run.pathFills,
      unguardedBars: run.unguardedBars,
      narrowTrailBars: run.narrowTrailBars,
      bars: observed.bars,
      gaps: observed.gapsOf(run.state),
      liquidationDistance: nearest === undefined || !Number.isFinite(nearest) ? undefined : nearest,
      delayed,
    },
  });
}

/** Less slippage than this, in basis points, counts as none: it is nearly surely a share that was meant as basis points. */
const LEAST_SLIPPAGE_BPS = 0.1;

/** The kind of prices of each instrument: it determines how its orders fill. */
function fillAssumptions({ fills, sources, instruments, exitsWaitForNextBar }: BacktestPlan): FillAssumptions {
  const slips = fills.slippageBps >= LEAST_SLIPPAGE_BPS || fills.slippage !== undefined;
  const kindsOf = (one: Instrument) => new Set(sources.filter(({ instrument }) => instrument === one).map(({ kind }) => kind));
  const symbolsWhere = (holds: (kinds: ReadonlySet<MarketEventKind>) => boolean) =>
    new Set(instruments.filter((one) => holds(kindsOf(one))).map(({ symbol }) => symbol));
  return {
    freeTaking: symbolsWhere((kinds) => {
      if (slips || kinds.has('quote') || kinds.has('depth')) return false;
      return kinds.has('bar') || fills.halfSpreadTicks === 0;
    }),
    marketAtClose: symbolsWhere((kinds) => kinds.has('bar') && fills.market === 'close'),
    worstPath: fills.path === 'worst',
    fillsOnTouch: fills.limit === 'touch',
    exitsNextBar: exitsWaitForNextBar,
  };
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The numbers (also those written as text) among checked parameters, with the range and default that the schema gives them. */
export function parameterSettings(params: unknown, schema: z.ZodType | undefined): ParameterSetting[] {
  const described: JsonSchema =
    schema === undefined ? {} : z.toJSONSchema(schema, { io: 'input', target: 'draft-7', unrepresentable: 'any' });
  return settingsOf(params, described, '');
}

function settingsOf(value: unknown, schema: JsonSchema, name: string): ParameterSetting[] {
  const number = numberOf(value);
  if (number !== undefined) return [{ name, value: number, ...rangeOf(schema) }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const known = Array.isArray(value) ? schema.items : (schema.properties?.[key] ?? schema.additionalProperties);
    const own = typeof known === 'object' && !Array.isArray(known) ? known : {};
    return settingsOf(inner, own, name === '' ? key : `${name}.${key}`);
  });
}

function rangeOf(schema: JsonSchema): Omit<ParameterSetting, 'name' | 'value'> {
  const { type, anyOf = [], default: usual } = schema;
  // A nullable or optional number has its range next to the other alternatives.
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = anyOf.find((one) => isNumeric(one)) ?? schema;
  // For whole numbers above 0 the minimum is 1; other numbers have none.
  const whole = type === 'integer' || anyOf.some((one) => typeof one === 'object' && one.type === 'integer');
  const least = whole && typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : undefined;
  const most = whole && typeof exclusiveMaximum === 'number' ? exclusiveMaximum - 1 : undefined;
  return { minimum: minimum ?? least, maximum: maximum ?? most, default: numberOf(usual) };
}

function isNumeric(schema: JsonSchema | boolean): schema is JsonSchema {
  return typeof schema === 'object' && (schema.type === 'number' || schema.type === 'integer');
}

/** The number in a value; undefined for other values and for empty text. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : undefined;
}
