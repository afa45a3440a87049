import { resumedHalf } from '../../../../src/app/live/bot/journal-history.ts';
import type { ClientSettings } from '../../../../src/exchange/client/transport.ts';
import type { Behaviour } from '../../../../src/local-exchange/behaviour.ts';
import type { AccountSpec } from '../../../../src/local-exchange/core/exchange-account.ts';
import type { FaultSettings } from '../../../../src/local-exchange/faults.ts';
import type { ListSettings } from '../../../../src/local-exchange/options.ts';
import type { AccountEvent, VenueEvent } from '../../../../src/model/account-events.ts';
import { Decimal, ZERO } from '../../../../src/model/decimal.ts';
import { Instrument } from '../../../../src/model/instrument.ts';
import type { MarginSettings } from '../../../../src/model/margin.ts';
import type { OrderRequest } from '../../../../src/model/order.ts';
import { applyAccount } from '../../../../src/state/apply.ts';
import { State } from '../../../../src/state/state.ts';
import { contentKey } from '../../../../src/venues/reconcile/fill-checks.ts';
import { NOTHING_LOST, RECONCILE_DEFAULTS, type ReconcileSettings } from '../../../../src/venues/reconcile/settings.ts';
import type { ExpectedContract } from '../../../../src/venues/rest/futures/contract-settings.ts';
import { futuresHalf } from '../../../../src/venues/rest/futures/futures-half.ts';
import type { Half } from '../../../../src/venues/rest/half.ts';
import { RequestQueue } from '../../../../src/venues/rest/request-queue.ts';
import { fillSettings, marginSettings, order } from '../../../builders.ts';
import { type Local, startLocal } from '../../../local-exchange/local.ts';

const contract = { value: '0.000001', tiers: [{ maintenance: '0.005' }], liquidationFee: '0.001', triggerBy: 'last' } as const;
const SPEC = { tickSize: '0.1', stepSize: '0.001', makerFee: '0.0002', takerFee: '0.0006', contract };
export const BTC = new Instrument(0, { symbol: 'BTC-USDT-PERP', ...SPEC });
export const ETH = new Instrument(1, { symbol: 'ETH-USDT-PERP', ...SPEC });
export const CONTRACTS = [BTC, ETH];
const SIDES = ['long', 'short'] as const;

export interface WorldOptions {
  readonly margin?: Partial<MarginSettings>;
  readonly lists?: Partial<ListSettings>;
  readonly faults?: Partial<FaultSettings>;
  readonly behaviour?: Partial<Behaviour>;
  readonly settings?: Partial<ReconcileSettings>;
  readonly client?: Partial<ClientSettings>;
  readonly deposit?: string;
  readonly adopterOf?: (instrument: Instrument) => string | undefined;
  readonly setsLeverage?: boolean;
  readonly expected?: (margin: MarginSettings) => ExpectedContract['margin'];
}

/** A futures half on a local exchange over real sockets, and the state that an engine would have from what it tells. */
export class World {
  readonly state: State;
  readonly events: VenueEvent[] = [];
  readonly warnings: string[] = [];
  /** What acts, as it left. */
  readonly requests: string[] = [];
  #trading!: Half;
  #memory = new Map<string, string>();
  /** Of the process that is running: a dead one is heard no more. */
  #life = 0;
  #ids = 0;
  #again = false;

  private constructor(
    readonly local: Local,
    private readonly options: WorldOptions,
    private readonly margin: MarginSettings,
  ) {
    const account = {
      kind: 'futures' as const,
      currency: 'USDT',
      equityEveryMs: 1000,
      margin: new Map(CONTRACTS.map(({ symbol }) => [symbol, margin])),
    };
    this.state = new State(CONTRACTS, ['s'], account);
  }

  static async start(options: WorldOptions = {}, prepare?: (world: World) => Promise<void>): Promise<World> {
    const margin = marginSettings(options.margin);
    const accounts: AccountSpec[] = [{ name: 'bot', balances: { futures: { USDT: options.deposit ?? '10000' } } }];
    const local = await startLocal({
      instruments: CONTRACTS,
      accounts,
      margin: () => margin,
      fills: fillSettings({ limit: 'touch' }),
      lists: options.lists,
      faults: options.faults,
      behaviour: options.behaviour,
    });
    const world = new World(local, options, margin);
    world.price(BTC, '100');
    world.price(ETH, '50');
    try {
      await prepare?.(world);
      await world.boot();
    } catch (error) {
      await world.close();
      throw error;
    }
    return world;
  }

  get trading(): Half {
    return this.#trading;
  }

  /** A process starts (again) with what the one before it left. */
  async boot(): Promise<void> {
    const life = ++this.#life;
    const { local } = this;
    const settings = { ...RECONCILE_DEFAULTS, visibilityLagMs: 2_000, ...this.options.settings };
    const heard = () => life === this.#life;
    const memory = {
      remember: (key: string, value: unknown) => void (heard() && this.#memory.set(key, JSON.stringify(value))),
      recall: (key: string) => (this.#memory.has(key) ? (JSON.parse(this.#memory.get(key)!) as unknown) : undefined),
      request: (operation: string) => void this.requests.push(operation),
      reply: () => {},
    };
    const log = { debug: () => {}, info: () => {}, warn: (text: string) => void this.warnings.push(text) };
    const fail = (error: unknown) => {
      if (heard()) throw error;
    };
    const requests = new RequestQueue(local.clock, settings.queueWaitMs, fail);
    requests.open();
    this.#trading = futuresHalf({
      client: local.client('bot', { headersMs: 500, bodyMs: 500, ...this.options.client }),
      instruments: CONTRACTS,
      queue: requests,
      settings,
      context: {
        clock: local.clock,
        memory,
        log,
        report: (event) => void (heard() && this.#tell(event)),
        settled: () => {},
        fail,
      },
      isOwn: (clientOrderId) => clientOrderId.startsWith('bot-'),
      adopterOf: this.options.adopterOf ?? (() => undefined),
      expected: this.#expected(),
      setsLeverage: this.options.setsLeverage,
      lost: { ...NOTHING_LOST },
    });
    const past = { again: this.#again, fillIds: this.#fillIds, lastTime: this.state.time };
    this.#trading.resume(resumedHalf(past, this.state, 'futures'));
    await this.#trading.open();
    this.#again = true;
  }

  /** Ids of the fills that were told, by order, as a journal has them. */
  get #fillIds(): Map<string, Map<string, string>> {
    const ids = new Map<string, Map<string, string>>();
    const add = (clientOrderId: string, fillId: string, content = '') =>
      ids.set(clientOrderId, (ids.get(clientOrderId) ?? new Map<string, string>()).set(fillId, content));
    for (const event of this.events) {
      if (event.kind === 'orderFilled') add(event.clientOrderId, event.fill.fillId, contentKey(event.fill));
      else if (event.kind === 'balanceChanged' && event.entry !== undefined && event.entry.fillId !== '') add('', event.entry.fillId);
    }
    return ids;
  }

  price(instrument: Instrument, price: string): void {
    this.local.price(instrument.symbol, price);
  }

  /** A trade of others, of so much. */
  trade(instrument: Instrument, ticks: number, steps: number): void {
    this.local.exchange.exchange.perform('price', ['trade', instrument.index, ticks, steps, 0], this.local.clock.now());
  }

  funding(instrument: Instrument, rate: string): void {
    this.local.exchange.exchange.perform('price', ['funding', instrument.index, rate], this.local.clock.now());
  }

  /** The exchange closes a position by agreement. */
  agree(instrument: Instrument, side: 'long' | 'short', price: string): void {
    this.local.exchange.control.agree('bot', instrument.symbol, side, price);
  }

  /** An order of the strategy leaves; a market order of one BTC that opens long at the price of 100 unless said otherwise. */
  place(request: Partial<OrderRequest> = {}): string {
    const clientOrderId = `bot-${++this.#ids}`;
    const approved = order({ instrument: BTC, steps: 1_000, ...request, clientOrderId });
    const time = this.local.clock.now();
    this.#apply({
      kind: 'orderSubmitted',
      time,
      clientOrderId,
      request: approved,
      type: approved.type,
      stopTicks: undefined,
      again: false,
    });
    this.trading.place([approved]);
    return clientOrderId;
  }

  cancel(clientOrderId: string): void {
    const known = this.state.order(clientOrderId)!;
    this.#apply({ kind: 'cancelSubmitted', time: this.local.clock.now(), clientOrderId });
    this.trading.cancel({ clientOrderId, instrument: known.instrument, reason: 'requested' });
  }

  /** Time goes on in small steps until what was sent has been answered. */
  async answered(): Promise<void> {
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  /** A number of looks, a second apart. Failures of the exchange are part of life. */
  async rounds(count: number, full = false): Promise<void> {
    for (let round = 0; round < count; round++) {
      await this.answered();
      this.local.step(1_000);
      await this.trading.round(full).catch(() => {});
    }
  }

  get account() {
    return this.local.exchange.exchange.accounts.all[0]!;
  }

  /** What the exchange knows. */
  get truth() {
    const { futures, orders } = this.account;
    const positions = futures.positionRecords();
    const steps = (instrument: Instrument, side: string) =>
      positions.filter((one) => one.instrument === instrument && one.positionSide === side).reduce((sum, one) => sum + one.steps, 0);
    const of = (name: 'openFee' | 'closeFee' | 'funding' | 'liquidationFee') =>
      positions.reduce((sum, { cumulative }) => sum.plus(cumulative[name]), ZERO).toFixed();
    return {
      total: futures.ledger.balance('USDT').total.toFixed(),
      frozen: futures.ledger.balance('USDT').frozen.toFixed(),
      steps: CONTRACTS.flatMap((instrument) => SIDES.map((side) => steps(instrument, side))),
      filled: Object.fromEntries(
        orders.all
          .filter((one) => one.clientOrderId !== '')
          .map((one) => [one.clientOrderId, one.fills.reduce((sum, { fill }) => sum + fill.steps, 0)]),
      ),
      fees: new Decimal(of('openFee')).plus(of('closeFee')).toFixed(),
      funding: of('funding'),
      liquidationFees: of('liquidationFee'),
      value: positions.reduce((sum, { openValue }) => sum.plus(openValue), ZERO).toFixed(),
    };
  }

  /** The same, as it was told. */
  get told() {
    const entries = this.events.flatMap((event) => (event.kind === 'balanceChanged' && event.entry !== undefined ? [event.entry] : []));
    const sum = (reason: string) => entries.filter((entry) => entry.reason === reason).reduce((all, { amount }) => all.plus(amount), ZERO);
    const { total, frozen } = this.state.portfolio.balance('USDT', 'futures');
    const known = [...this.state.openOrders.values(), ...this.state.endedOrders.values()].filter((one) =>
      one.clientOrderId.startsWith('bot-'),
    );
    const sides = CONTRACTS.flatMap((instrument) => SIDES.map((side) => this.state.position(instrument, side)));
    return {
      total: total.toFixed(),
      frozen: frozen.toFixed(),
      steps: sides.map(({ steps }) => Math.abs(steps)),
      filled: Object.fromEntries(known.map(({ clientOrderId, filledSteps }) => [clientOrderId, filledSteps])),
      fees: sum('fee').negated().toFixed(),
      funding: sum('funding').toFixed(),
      liquidationFees: sum('liquidationFee').negated().toFixed(),
      value: sides.reduce((all, { cost }) => all.plus(cost), ZERO).toFixed(),
      unexplained: sum('unexplained').toFixed(),
    };
  }

  of<K extends VenueEvent['kind']>(kind: K): Extract<VenueEvent, { kind: K }>[] {
    return this.events.filter((event): event is Extract<VenueEvent, { kind: K }> => event.kind === kind);
  }

  close(): Promise<void> {
    this.#life++;
    return this.local.close();
  }

  #expected(): ExpectedContract[] {
    const margin = this.options.expected?.(this.margin) ?? this.margin;
    return CONTRACTS.map((instrument, index) => ({ instrument, contractId: String(10_000_001 + index), margin }));
  }

  #tell(event: VenueEvent): void {
    this.events.push(event);
    this.#apply(event);
  }

  #apply(event: AccountEvent): void {
    applyAccount(this.state, event);
  }
}
