import { Decimal } from '../../../model/decimal.ts';
import { isoTime } from '../../../model/time.ts';
import type { Problem } from './problems.ts';
import type { ConfigNode, ConfigPath, MapEntry, Position, ScalarNode, Source } from './tree.ts';

/** A config that is an object: the same keys as in YAML, and `use` with a class instead of `file`. */
export type ObjectConfig = Readonly<Record<string, unknown>>;

/** The settings that may be a model of the user. */
export const MODEL_SETTINGS = [
  'backtest.fills.slippage',
  'backtest.fills.fee',
  'backtest.fills.limit',
  'backtest.fills.path',
  'backtest.latency.model',
] as const;

/** The beginning of `file` of a strategy or a model whose class was given as `use`. */
export const CLASS_PREFIX = 'class:';

/** Whether `file` of a strategy or a model stands for a class that was given as `use`. */
export function isClassFile(file: string): boolean {
  return file.startsWith(CLASS_PREFIX);
}

export interface ObjectTree {
  readonly root: ConfigNode;
  readonly problems: readonly Problem[];
  /** The classes of strategies and models, by the text that is their `file`. */
  readonly classes: ReadonlyMap<string, unknown>;
}

/** Deeper objects are refused. */
const MAX_DEPTH = 64;

/** Reads an object into the tree of a config. Its values have no lines: their positions only keep their order. */
export function objectTree(config: ObjectConfig, source: Source): ObjectTree {
  const reader = new ObjectReader(source);
  if (!isPlainObject(config)) return { root: reader.read(null, []), problems: [], classes: reader.classes };
  return { root: reader.read(config, []), problems: reader.problems, classes: reader.classes };
}

class ObjectReader {
  readonly problems: Problem[] = [];
  readonly classes = new Map<string, unknown>();
  #values = 0;
  /** The lists and maps that contain the present value. */
  readonly #above = new Set<object>();

  constructor(private readonly source: Source) {}

  read(value: unknown, path: ConfigPath): ConfigNode {
    const at: Position = { source: this.source, line: 0, column: ++this.#values };
    const scalar = (plain: ScalarNode['value'], text = String(plain)): ScalarNode => ({
      kind: 'scalar',
      at,
      value: plain,
      text,
      plain: typeof plain === 'number',
    });
    if (value === null || typeof value === 'boolean' || typeof value === 'string') return scalar(value);
    if (typeof value === 'bigint') return scalar(Number(value), String(value));
    if (typeof value === 'number' && Number.isFinite(value)) return scalar(value, new Decimal(value).toFixed());
    if (value instanceof Decimal) return scalar(value.toFixed());
    if (value instanceof Date && !Number.isNaN(value.getTime())) return scalar(isoTime(value.getTime()));
    if (Array.isArray(value) || isPlainObject(value)) return this.#inner(value, path, at);
    return this.#refuse(at, path, `expected text, a number, true, false, null, a list or a map, not ${kindOf(value)}`);
  }

  /** A list or a map with its values. */
  #inner(value: readonly unknown[] | ObjectConfig, path: ConfigPath, at: Position): ConfigNode {
    if (this.#above.has(value)) return this.#refuse(at, path, 'it contains itself');
    if (path.length > MAX_DEPTH) return this.#refuse(at, path.slice(0, 1), `nested deeper than ${MAX_DEPTH} levels`);
    this.#above.add(value);
    const node: ConfigNode = isList(value)
      ? { kind: 'list', at, items: value.map((item, index) => this.read(item, [...path, index])) }
      : { kind: 'map', at, entries: this.#entries(value, path, at) };
    this.#above.delete(value);
    return node;
  }

  /** Keys without a value (`undefined`) are absent. */
  #entries(map: ObjectConfig, path: ConfigPath, at: Position): Map<string, MapEntry> {
    const mayHaveClass = isStrategy(path) || isModel(path);
    const entries = new Map<string, MapEntry>();
    for (const [key, value] of Object.entries(map)) {
      if (value === undefined) continue;
      if (mayHaveClass && key === 'use') entries.set('file', { keyAt: at, value: this.#class(value, map, path, at) });
      else if (!mayHaveClass || key !== 'file' || map.use === undefined)
        entries.set(key, { keyAt: at, value: this.read(value, [...path, key]) });
    }
    return entries;
  }

  #class(value: unknown, { file }: ObjectConfig, path: ConfigPath, at: Position): ConfigNode {
    const place = [...path, 'use'];
    if (file !== undefined) return this.#refuse(at, place, 'expected either `use` or `file`, not both');
    const [expected, unnamed] = isModel(path) ? ['the class of a model', 'Model'] : ['a class that extends Strategy', 'Strategy'];
    if (typeof value !== 'function') return this.#refuse(at, place, `expected ${expected}, not ${kindOf(value)}`);
    const name = `${CLASS_PREFIX}${value.name || unnamed}`;
    let text = name;
    for (let number = 2; (this.classes.get(text) ?? value) !== value; number++) text = `${name}-${number}`;
    this.classes.set(text, value);
    return { kind: 'scalar', at, value: text, text, plain: false };
  }

  #refuse(at: Position, path: ConfigPath, message: string): ConfigNode {
    this.problems.push({ at, path, message });
    return { kind: 'scalar', at, value: null, text: '', plain: false };
  }
}

function isStrategy(path: ConfigPath): boolean {
  return path.length === 2 && path[0] === 'strategies';
}

function isModel(path: ConfigPath): boolean {
  return (MODEL_SETTINGS as readonly string[]).includes(path.join('.'));
}

function isList(value: readonly unknown[] | ObjectConfig): value is readonly unknown[] {
  return Array.isArray(value);
}

function isPlainObject(value: unknown): value is ObjectConfig {
  return typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value));
}

function kindOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (value instanceof Date) return 'an invalid date';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'object' && value !== null) return `an object of ${value.constructor?.name || 'a class'}`;
  return typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`;
}
