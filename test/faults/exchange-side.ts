import type { Behaviour } from '../../src/local-exchange/behaviour.ts';
import { RunningCore } from '../../src/local-exchange/core/running-core.ts';
import { FaultPlan, type FaultSettings } from '../../src/local-exchange/faults.ts';
import { Answering } from '../../src/local-exchange/http/answering.ts';
import { act } from '../../src/local-exchange/http/host.ts';
import { LIMITS } from '../../src/local-exchange/http/request-limits.ts';
import type { ListSettings } from '../../src/local-exchange/options.ts';
import { Instrument, type InstrumentSpec } from '../../src/model/instrument.ts';
import type { MarginSettings } from '../../src/model/margin.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { fillSettings } from '../builders.ts';
import type { Arrive } from './link.ts';

/** What is traded, and how the exchange has it. */
export interface Markets {
  readonly kind: 'spot' | 'futures' | 'both';
  readonly lists: ListSettings;
  readonly margin: MarginSettings;
  /** What the futures wallet opens with, in USDT. */
  readonly deposit: string;
  /** The exchange closes positions by agreement now and then. */
  readonly agreements?: boolean;
}

const SPOT = { tickSize: '0.01', stepSize: '0.0001', makerFee: '0.001', takerFee: '0.0015' };
const contract = { value: '0.000001', tiers: [{ maintenance: '0.005' }], liquidationFee: '0.001', triggerBy: 'last' } as const;
const PERP = { tickSize: '0.1', stepSize: '0.0001', makerFee: '0.0002', takerFee: '0.0006', contract };
const SPOT_SPECS = ['BTC-USDT', 'ETH-USDT'].map((symbol): InstrumentSpec => ({ symbol, ...SPOT }));
const PERP_SPECS = ['BTC-USDT-PERP', 'ETH-USDT-PERP'].map((symbol): InstrumentSpec => ({ symbol, ...PERP }));

export function instrumentsOf(kind: Markets['kind']): Instrument[] {
  const specs = kind === 'spot' ? SPOT_SPECS : kind === 'futures' ? PERP_SPECS : [...SPOT_SPECS, ...PERP_SPECS];
  return specs.map((spec, index) => new Instrument(index, spec));
}
const NO_LIMITS = { ...LIMITS, ipWeight: 0, uidWeight: 0, actionsPerSecond: 0 };

export interface SideOptions {
  readonly seed: number;
  readonly markets: Markets;
  readonly faults: Partial<FaultSettings>;
  readonly clock: Clock;
  /** By `instrumentsOf`; one world knows each but once. */
  readonly instruments: readonly Instrument[];
  /** How it does what no document settles. */
  readonly behaviour?: Partial<Behaviour> | undefined;
  /** Its weights count where it is there; see `WorldOptions`. */
  readonly burst?: number | undefined;
  /** In which the exchange keeps what happened. */
  readonly stateFile?: string | undefined;
}

/** The exchange's side of a world: a local exchange without sockets, and one account of it. */
export class ExchangeSide {
  readonly faults: FaultPlan;
  readonly core: RunningCore;
  readonly arrive: Arrive;

  constructor({ seed, markets, faults, clock, instruments, behaviour, burst, stateFile }: SideOptions) {
    const futures = instruments.some(({ contract }) => contract !== undefined) ? { futures: { USDT: markets.deposit } } : {};
    this.faults = new FaultPlan({ ...faults, seed });
    const options = {
      name: 'faulty',
      clock,
      instruments,
      accounts: [
        { name: 'bot', balances: { spot: { USDT: '100000', BTC: '1', ETH: '10' }, ...futures } },
        { name: 'other', balances: { spot: { USDT: '50000', BTC: '2', ETH: '20' }, ...futures } },
      ],
      fills: fillSettings({ limit: 'touch', halfSpreadTicks: 1 }),
      margin: () => markets.margin,
      lists: markets.lists,
      behaviour,
      stateFile,
    };
    this.core = new RunningCore(options, this.faults);
    const answering = new Answering({
      core: this.core,
      limits: burst === undefined ? NO_LIMITS : LIMITS,
      skewMs: this.faults.skewMs,
      jumpMs: this.faults.jumpMs,
      staleMs: () => this.faults.staleMs,
      log: undefined,
    });
    this.arrive = (operation, request, fate) => act(operation, request, fate, answering, clock);
  }

  get account() {
    return this.core.exchange.accounts.all[0]!;
  }
}
