import type { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { ExchangeError, isPrecondition } from '../../exchange/errors.ts';
import { contractValues, type ListedValues, pairValues } from '../../exchange/listed-values.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import { Decimal } from '../../model/decimal.ts';
import type { Grid } from '../../model/grid.ts';
import type { Instrument, ListedGrid } from '../../model/instrument.ts';
import { mayClose, type OrderRequest } from '../../model/order.ts';
import type { Rejection } from '../../model/reasons.ts';
import type { VenueContext } from '../reconcile/settings.ts';

/** How often the exchange's lists are read without a cause, and how soon again after a failure, in ms. */
const READ_EVERY_MS = 3_600_000;
const AGAIN_MS = 60_000;
/** The shortest time between two readings because of a refusal, in ms: of an order that closes, and of any other. */
const CLOSING_EVERY_MS = 1_000;
const OPENING_EVERY_MS = 60_000;

/** The exchange's codes for a price or quantity that it does not take. It uses the first one for other refusals too. */
const OFF_GRID: ReadonlySet<string> = new Set(['40015', '40017', '40020', '43005', '43006']);

/** The exchange's code for an order of a pair that is not traded at present. */
const NOT_TRADED = '50003';

/** A value of the config that is not the exchange's. */
export interface GridDifference {
  readonly setting: 'tickSize' | 'stepSize' | 'minQuantity';
  /** Decimal text. */
  readonly ours: string;
  readonly theirs: string;
}

/**
 * The values of the config that the exchange does not have. Units of a pair must be the same. Those of a contract may be coarser in the
 * config, as the exchange lists only numbers of decimals. A config without a minimum has none that could differ.
 */
export function gridDifferences(instrument: Instrument, listed: Omit<ListedValues, 'isTraded' | 'limits'>): GridDifference[] {
  const { tick, step, spec, contract, isReference } = instrument;
  const differs = (own: Grid, theirs: string) => (contract === undefined ? !new Decimal(theirs).eq(own.text) : own.unitsIn(theirs) > 1);
  const found: GridDifference[] = [];
  const add = (setting: GridDifference['setting'], ours: string, theirs: string) =>
    found.push({ setting, ours, theirs: new Decimal(theirs).toFixed() });
  if (differs(tick, listed.tickSize)) add('tickSize', tick.text, listed.tickSize);
  if (isReference) return found;
  if (differs(step, listed.stepSize)) add('stepSize', step.text, listed.stepSize);
  const { minQuantity } = spec;
  if (minQuantity !== undefined && listed.minQuantity !== '' && new Decimal(minQuantity).lt(listed.minQuantity))
    add('minQuantity', minQuantity, listed.minQuantity);
  return found;
}

/** The lines of the config that make it agree with the exchange. */
export function linesToWrite(differences: readonly GridDifference[]): string {
  return differences.map(({ setting, theirs }) => `\`${setting}: "${theirs}"\``).join(' and ');
}

/** The exchange's grid in units of the config's. */
function gridOf(instrument: Instrument, listed: Omit<ListedValues, 'isTraded' | 'limits'>): ListedGrid {
  const { tick, step } = instrument;
  const steps = step.unitsIn(listed.stepSize);
  const least = listed.minQuantity === '' ? 1 : new Decimal(listed.minQuantity).div(step.text).div(steps).ceil().toNumber();
  return { ticks: tick.unitsIn(listed.tickSize), steps, leastSteps: Math.max(1, least) * steps };
}

/** An instrument whose grid is not the config's, or that is not traded at present. */
interface Changed {
  /** Undefined if it is the config's. */
  readonly grid: ListedGrid | undefined;
  readonly isTraded: boolean;
  /** For people. */
  readonly reason: string;
}

interface ListedGridsParts {
  readonly client: Pick<ExchangeClient, 'exchangeInfo' | 'contracts'>;
  readonly instruments: readonly Instrument[];
  readonly context: Pick<VenueContext, 'clock' | 'log' | 'memory' | 'report'>;
  /** The exchange lists other grids than before: halts are judged again. */
  changed(): void;
}

/**
 * The present grids of the exchange for the instruments of one half, and whether they are traded. They are read at the start, each hour,
 * each minute while one of them differs or is suspended, and after a change of limits, and when an order is refused whose price or quantity may be off the grid, or
 * because its pair is not traded.
 */
export class ListedGrids {
  #changed: ReadonlyMap<Instrument, Changed> = new Map();
  /** The largest quantity of an order. */
  readonly #most = new Map<Instrument, string | undefined>();
  #readAt = Number.NEGATIVE_INFINITY;
  #dueAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<boolean> | undefined;

  constructor(private readonly parts: ListedGridsParts) {}

  /** The difference between the exchange's list and the config; `undefined` if they agree. */
  of(instrument: Instrument): Changed | undefined {
    return this.#changed.get(instrument);
  }

  /** Reads the lists if that is due. If it fails, the last known grids count. */
  async readIfDue(): Promise<void> {
    if (this.#now < this.#dueAt) return;
    await this.#read();
  }

  /**
   * The meaning of a refusal of these orders, sent in one request: `gridChanged` if the exchange has another grid now, and
   * `tradingSuspended` if it lists the pair as not traded.
   * @param reason the refusal as the exchange gives it.
   */
  async explain(orders: readonly OrderRequest[], reason: Rejection): Promise<Rejection> {
    if (reason.code !== 'venueRefused') return reason;
    const { venueCode, message } = reason;
    const code = venueCode === NOT_TRADED ? 'tradingSuspended' : 'gridChanged';
    if (code === 'gridChanged' && (!OFF_GRID.has(venueCode) || isPrecondition(message))) return reason;
    const hasClose = orders.some(mayClose);
    const nextAt = this.#readAt + (hasClose ? CLOSING_EVERY_MS : OPENING_EVERY_MS);
    if (hasClose || this.#now >= nextAt) {
      await this.#wait(nextAt);
      const isUnsure = !(await this.#read());
      if (isUnsure && hasClose) return { code, venueCode, message };
    }
    const isSo =
      code === 'gridChanged'
        ? orders.some((request) => this.#isOff(request))
        : orders.some(({ instrument }) => this.of(instrument)?.isTraded === false);
    return isSo ? { code, venueCode, message } : reason;
  }

  #isOff({ instrument, priceTicks = 0, triggerTicks = 0, steps }: OrderRequest): boolean {
    const most = this.#most.get(instrument);
    if (most !== undefined && steps !== undefined && instrument.step.toDecimal(steps).gt(most)) return true;
    const grid = this.of(instrument)?.grid;
    if (grid === undefined) return false;
    if (priceTicks % grid.ticks !== 0 || triggerTicks % grid.ticks !== 0) return true;
    return steps !== undefined && (steps % grid.steps !== 0 || steps < grid.leastSteps);
  }

  /** Refusals that arrive together share one reading. @returns false if the lists cannot be read now, but perhaps later. */
  async #read(): Promise<boolean> {
    this.#reading ??= this.#take().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #take(): Promise<boolean> {
    const requestedAt = this.#now;
    this.#dueAt = requestedAt + AGAIN_MS;
    let listed: ReadonlyMap<string, ListedValues>;
    try {
      listed = await this.#listed();
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      this.parts.context.log.warn('the tick and step sizes of the exchange cannot be read', { error: error.message });
      if (!error.retryable) this.#dueAt = requestedAt + READ_EVERY_MS;
      return !error.retryable;
    }
    this.#readAt = requestedAt;
    const isNews = this.#reportLimits(listed);
    const before = JSON.stringify([...this.#changed.values()]);
    this.#changed = new Map(
      this.parts.instruments.flatMap((instrument): [Instrument, Changed][] => {
        const values = listed.get(wireSymbol(instrument.symbol).toUpperCase());
        const known = this.#changed.get(instrument);
        // A list without it proves nothing about its grid.
        if (values === undefined) return known === undefined ? [] : [[instrument, known]];
        const differences = gridDifferences(instrument, values);
        const { isTraded } = values;
        if (differences.length === 0 && isTraded) return [];
        const grid = differences.length === 0 ? undefined : gridOf(instrument, values);
        const texts = [
          ...(isTraded ? [] : [`the exchange has suspended trading in ${instrument.symbol}; exits are tried again until it goes on`]),
          ...(grid === undefined ? [] : [reasonOf(instrument, differences)]),
        ];
        return [[instrument, { grid, isTraded, reason: texts.join('; ') }]];
      }),
    );
    // One wrong answer must not hold for an hour.
    this.#dueAt = requestedAt + (isNews || this.#changed.size > 0 ? AGAIN_MS : READ_EVERY_MS);
    if (JSON.stringify([...this.#changed.values()]) !== before) this.parts.changed();
    return true;
  }

  /** Reports the limits that are others than at the last report, which may have been that of an earlier process. @returns whether any are. */
  #reportLimits(listed: ReadonlyMap<string, ListedValues>): boolean {
    const { context, instruments } = this.parts;
    const { memory, clock } = context;
    let isNews = false;
    for (const instrument of instruments) {
      const limits = listed.get(wireSymbol(instrument.symbol).toUpperCase())?.limits;
      if (limits !== undefined) this.#most.set(instrument, limits.most);
      const key = `limits/${instrument.symbol}`;
      const text = JSON.stringify(limits);
      if (limits === undefined || text === (memory.recall(key) ?? '{}')) continue;
      memory.remember(key, text);
      context.report({ kind: 'limitsListed', time: clock.now(), instrument, limits });
      isNews = true;
    }
    return isNews;
  }

  async #listed(): Promise<ReadonlyMap<string, ListedValues>> {
    const { client, instruments } = this.parts;
    const [first] = instruments;
    const isFutures = first?.contract !== undefined;
    const rows = isFutures
      ? (await client.contracts()).map((record) => [record.symbol, contractValues(record)] as const)
      : (await client.exchangeInfo()).map((record) => [record.symbol, pairValues(record)] as const);
    return new Map(rows.map(([symbol, values]) => [symbol.toUpperCase(), values]));
  }

  #wait(until: number): Promise<void> {
    const { clock } = this.parts.context;
    if (clock.now() >= until) return Promise.resolve();
    return new Promise((resolve) => void clock.schedule(until, resolve));
  }

  get #now(): number {
    return this.parts.context.clock.now();
  }
}

function reasonOf({ symbol }: Instrument, differences: readonly GridDifference[]): string {
  const what = differences.map(({ setting, ours, theirs }) => `${setting} ${theirs} there, ${ours} in the config`).join('; ');
  return `the grid of ${symbol} is another one at the exchange: ${what}; exits are rounded to it; once flat, write ${linesToWrite(differences)} in the config`;
}
