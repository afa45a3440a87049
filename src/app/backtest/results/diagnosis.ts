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
      intents: recorder.orderIntents,
      orders: recorder.orders,
      denied,
      rejected: recorder.denied.length - denied,
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

/** What an instrument is fed by decides how its orders fill, whatever feeds the others. */
function fillAssumptions({ fills, sources, instruments, exitsWaitForNextBar }: BacktestPlan): FillAssumptions {
  const slips = fills.slippageBps > 0 || fills.slippage !== undefined;
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
  // One that may be absent or null says so beside its range.
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = anyOf.find((one) => isNumeric(one)) ?? schema;
  // Of whole numbers above 0 the least is 1; of others there is none.
  const whole = type === 'integer' || anyOf.some((one) => typeof one === 'object' && one.type === 'integer');
  const least = whole && typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : undefined;
  const most = whole && typeof exclusiveMaximum === 'number' ? exclusiveMaximum - 1 : undefined;
  return { minimum: minimum ?? least, maximum: maximum ?? most, default: numberOf(usual) };
}

function isNumeric(schema: JsonSchema | boolean): schema is JsonSchema {
  return typeof schema === 'object' && (schema.type === 'number' || schema.type === 'integer');
}

/** Undefined for what is no number, and for empty text. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : undefined;
}
