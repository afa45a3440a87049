import type { z } from 'zod';
import type { Decimal } from '../../model/decimal.ts';
import type { ModelOf } from '../../ports/models.ts';
import type { Strategy, StrategyContext } from '../../strategy/strategy.ts';
import type { Config, ConfigSchema } from '../config/schema/schema.ts';

/**
 * A value as code writes it. Where the config has free text, it may be a number or a `Decimal`: a number becomes its shortest decimal form,
 * `0.1` becomes `"0.1"`.
 */
type Written<Value> = Value extends string
  ? string extends Value
    ? Value | number | Decimal
    : Value
  : Value extends readonly (infer Item)[]
    ? readonly Written<Item>[]
    : Value extends object
      ? { readonly [Key in keyof Value]: Written<Value[Key]> }
      : Value;

type Input = z.input<typeof ConfigSchema>;
type StrategyInput = Written<Input['strategies'][number]>;

/** A strategy whose class is given, instead of a file. */
export type StrategyOfClass = Omit<StrategyInput, 'file' | 'export'> & {
  readonly use: new (context: StrategyContext) => Strategy;
};

/** A model whose class is given, instead of a file. It is constructed with its checked parameters. */
export interface ModelOfClass<Model> {
  readonly use: new (params: never) => Model;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  /** Seed of the random numbers that it receives; default 1. That of a latency model is `backtest.latency.seed`. */
  readonly seed?: number | undefined;
}

type Backtest = NonNullable<Input['backtest']>;
type Fills = NonNullable<Backtest['fills']>;
type Latency = NonNullable<Backtest['latency']>;
type FillModels = Omit<ModelOf, 'latency'>;

type Section = 'strategies' | 'instruments' | 'backtest';

/**
 * A config as an object: the same keys as in a YAML file. `use: MyClass` gives the class of a strategy or a model. Times may be `Date`. Keys with the
 * value `undefined` are absent.
 */
export type ConfigObject = Partial<Written<Omit<Input, Section>>> & {
  readonly strategies?: readonly (StrategyInput | StrategyOfClass)[];
  /** In a backtest, default: the terms in the folder of the recording. */
  readonly instruments?: Written<Input['instruments']>;
  readonly backtest?: Omit<Written<Backtest>, 'from' | 'to' | 'fills' | 'latency'> & {
    readonly fills?: Omit<Written<Fills>, keyof FillModels> & {
      readonly [Kind in keyof FillModels]?: Written<Fills[Kind]> | ModelOfClass<FillModels[Kind]>;
    };
    readonly latency?: Omit<Written<Latency>, 'model'> & {
      readonly model?: Written<Latency['model']> | Omit<ModelOfClass<ModelOf['latency']>, 'seed'>;
    };
    readonly from?: string | number | Date | undefined;
    readonly to?: string | number | Date | undefined;
  };
};

/** A config that was loaded and checked. */
export interface LoadedConfig {
  /** The settings with their defaults: paths are absolute, times epoch ms, decimals text. */
  readonly settings: Config;
  /** The same as YAML, without secrets. */
  readonly yaml: string;
}
