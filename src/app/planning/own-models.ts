import type { z } from 'zod';
import { isOwnModel, madeModel, type OwnModel } from '../../matching/models/own-model.ts';
import type { FillSettings } from '../../matching/settings.ts';
import { invariant } from '../../model/errors.ts';
import type { ModelOf } from '../../ports/models.ts';
import type { WrittenAt } from '../config/reading/problems.ts';
import type { ConfigPath, Place } from '../config/reading/tree.ts';
import type { Config } from '../config/schema/schema.ts';
import { givenModel, type LoadedModel, loadModelClass } from '../loader/load-model.ts';
import { type Sourced, sourceNames } from '../loader/load-module.ts';
import { parseParams, requireSchema } from '../loader/load-strategy.ts';

type FillsConfig = Config['backtest']['fills'];

type Kind = keyof ModelOf;

/** The method that the class of each kind must have. */
const METHODS: Readonly<Record<Kind, string>> = {
  slippage: 'slippageTicks',
  fee: 'fee',
  limit: 'penetrationTicks',
  path: 'highFirst',
  latency: 'delayMs',
};

/** The decision of each kind, as warnings name it. */
const WHAT: Readonly<Record<Kind, string>> = {
  slippage: 'slippage',
  fee: 'fees',
  limit: 'fills of limit orders',
  path: 'the path inside bars',
  latency: 'latency',
};

/** The code of one model as it was loaded. */
export interface ModelCode extends Pick<LoadedModel, 'entry' | 'sources' | 'sourceHash'> {
  readonly kind: Kind;
  /** Its setting, such as `backtest.fills.slippage`. */
  readonly setting: string;
}

/** The models of the user in a config. */
export interface OwnModels {
  readonly models: { readonly [K in Kind]?: OwnModel<ModelOf[K]> };
  readonly code: readonly ModelCode[];
}

/** A model as the config names it. */
interface ModelSetting {
  readonly file: string;
  readonly export?: string | undefined;
  readonly params: Readonly<Record<string, unknown>>;
  readonly seed?: number | undefined;
}

/** Finds the classes that code has given, and the parameters of a model in the config; without it, messages name only their setting. */
export interface ModelPlaces {
  valueAs?(schema: z.ZodType, path: ConfigPath): unknown;
  locate?(path: ConfigPath, aboutKey?: boolean): Place | undefined;
  readonly written?: WrittenAt;
  /** The classes that code has given, by the text that is their `file`. */
  readonly classes?: ReadonlyMap<string, unknown>;
  /** Code of the user runs the config. */
  readonly embedded?: boolean | undefined;
}

/** The sections of a config that may have models. */
interface ModelSections {
  readonly fills: FillsConfig;
  readonly latency?: Config['backtest']['latency'] | undefined;
}

/**
 * Loads the models of the user that a config names.
 * @param above the keys of the config above `fills`: `backtest`, or none in the config of a local exchange.
 * @throws TidegateError STRATEGY_NOT_FOUND, STRATEGY_LOAD_FAILED, STRATEGY_PARAMS_INVALID; MODEL_FAILED if a constructor throws.
 */
export async function ownModels(sections: ModelSections, above: ConfigPath, places: ModelPlaces = {}): Promise<OwnModels> {
  const models: Partial<Record<Kind, OwnModel<unknown>>> = {};
  const code: ModelCode[] = [];
  for (const { kind, path, given } of namedModels(sections, above)) {
    const setting = path.join('.');
    const { file } = given;
    const ofCode = places.classes?.get(file);
    const { ModelClass, entry, sources, sourceHash } =
      ofCode === undefined
        ? await loadModelClass(file, given.export, METHODS[kind], places.embedded)
        : givenModel(file, ofCode, METHODS[kind], setting);
    const at = [...path, 'params'];
    const { params: schema } = ModelClass;
    requireSchema(schema, at, 'model');
    const raw = schema === undefined ? given.params : (places.valueAs?.(schema, at) ?? given.params);
    const params = parseParams(schema, raw, { path: at, locate: places.locate, written: places.written }, 'model');
    const { seed = sections.latency?.seed ?? 1 } = given;
    // Only what decides its answers is part of the fingerprint of an exchange's state.
    const toJSON = () => ({ sourceHash, params, seed });
    const own = { setting, file, sourceHash, params, seed, create: () => new ModelClass(params), toJSON };
    // An error of its constructor is reported before the run begins.
    madeModel(own);
    models[kind] = own;
    code.push({ kind, setting, entry, sources, sourceHash });
  }
  return { models: models as OwnModels['models'], code };
}

interface NamedModel {
  readonly kind: Kind;
  readonly path: ConfigPath;
  readonly given: ModelSetting;
}

/** The models that a config names, with their places. */
function namedModels({ fills, latency }: ModelSections, above: ConfigPath): NamedModel[] {
  const settings: [Kind, ConfigPath, unknown][] = [
    ['slippage', ['fills', 'slippage'], fills.slippage],
    ['fee', ['fills', 'fee'], fills.fee],
    ['limit', ['fills', 'limit'], fills.limit],
    ['path', ['fills', 'path'], fills.path],
    ['latency', ['latency', 'model'], latency?.model],
  ];
  return settings.flatMap(([kind, path, given]) => (isModelSetting(given) ? [{ kind, path: [...above, ...path], given }] : []));
}

/** The files of the models that a config names. */
export function modelFiles(sections: ModelSections, above: ConfigPath): string[] {
  return namedModels(sections, above).map(({ given }) => given.file);
}

function isModelSetting(value: unknown): value is ModelSetting {
  return typeof value === 'object' && value !== null && 'file' in value;
}

/**
 * Converts the settings: decimals are text in the config, but the share of a volume is a plain number, as volumes are.
 * @param models of `ownModels`; may be left out if the settings name none.
 */
export function fillSettings({ exits: _, barVolumeShare, ...fills }: FillsConfig, models: OwnModels['models'] = {}): FillSettings {
  // The order of the keys is part of the fingerprint of an exchange's state.
  return {
    ...fills,
    barVolumeShare: barVolumeShare === undefined ? undefined : Number(barVolumeShare),
    slippage: ownOr(fills.slippage, models.slippage),
    fee: ownOr(fills.fee, models.fee),
    limit: ownOr(fills.limit, models.limit),
    path: ownOr(fills.path, models.path),
  };
}

function ownOr<Setting, Model>(
  setting: Setting,
  model: OwnModel<Model> | undefined,
): Exclude<Setting, { readonly file: string }> | OwnModel<Model> {
  if (!isModelSetting(setting)) return setting as Exclude<Setting, { readonly file: string }>;
  invariant(isOwnModel<Model>(model), 'a model is loaded before the settings of fills are planned');
  return model;
}

/**
 * The warning that the result of a run rests on models of the user.
 * @param code all code of the run, which names the files as its folder does.
 */
export function modelWarnings(models: readonly ModelCode[], code: readonly Sourced[]): string[] {
  if (models.length === 0) return [];
  const nameOf = sourceNames(code);
  const texts = models.map(({ kind, entry }) => `${WHAT[kind]} by ${nameOf(entry)}`);
  return [`the result depends on ${models.length === 1 ? 'a model' : 'models'} of your own: ${texts.join(', ')}`];
}
