import type { Damage } from './log-line.ts';
import type { LogEnding, LogRecord } from './log-record.ts';

/** Time in which nothing is known of the prices of some symbols. */
export interface Gap {
  readonly symbols: readonly string[];
  /** Epoch ms of the last answer before it, or of the beginning. */
  readonly from: number;
  /** Epoch ms of the next answer, or of the log's end. */
  readonly to: number;
  readonly reason: string;
  /** Polls in it that brought no answer; none while nobody asked. */
  readonly polls: number;
}

const NOT_RECORDING: Readonly<Record<Exclude<LogEnding, 'rotated'>, string>> = {
  stopped: 'the recorder was stopped',
  cut: 'the recorder was cut off: killed, or without power',
};

interface Outage {
  readonly reason: string;
  polls: number;
}

/** Finds the gaps of one log, record by record. A gap that outlasts its log goes on as one of the next. */
export class GapFinder {
  readonly #silentMs: number;
  readonly #answered = new Map<string, number>();
  readonly #out = new Map<string, Outage>();
  readonly #found: (Omit<Gap, 'symbols'> & { readonly symbols: string[] })[] = [];
  #lastTime: number;

  constructor(records: readonly (LogRecord | Damage)[]) {
    const start = records.find((record) => record.kind === 'start');
    const { after, silentMs = Number.POSITIVE_INFINITY, symbols = [] } = start ?? {};
    this.#silentMs = silentMs;
    this.#lastTime = after?.time ?? start?.time ?? Number.NEGATIVE_INFINITY;
    for (const symbol of symbols) this.#answered.set(symbol, this.#lastTime);
    if (after !== undefined && after.end !== 'rotated') this.#allOut(NOT_RECORDING[after.end], 0);
    for (const record of records) this.#take(record);
    for (const symbol of this.#out.keys()) this.#end(symbol, this.#lastTime);
  }

  /** In the order of their ends. */
  get gaps(): readonly Gap[] {
    return this.#found;
  }

  #take(record: LogRecord | Damage): void {
    if (record.kind === 'damaged') this.#allOut('a damaged record', 0);
    if (record.kind === 'lost') this.#allOut(record.reason, record.polls);
    if (record.kind !== 'poll') return;
    const { time, missing = [] } = record;
    if (time - this.#lastTime > this.#silentMs) this.#allOut('nobody asked', 0);
    const silent = new Map(missing);
    for (const symbol of this.#answered.keys()) {
      const reason = silent.get(symbol);
      if (reason !== undefined) this.#miss(symbol, reason, 1);
      else {
        this.#end(symbol, time);
        this.#answered.set(symbol, time);
      }
    }
    this.#lastTime = time;
  }

  #allOut(reason: string, polls: number): void {
    for (const symbol of this.#answered.keys()) this.#miss(symbol, reason, polls);
  }

  /** The first reason of a gap stands for it. */
  #miss(symbol: string, reason: string, polls: number): void {
    const outage = this.#out.get(symbol);
    if (outage === undefined) this.#out.set(symbol, { reason, polls });
    else outage.polls += polls;
  }

  #end(symbol: string, to: number): void {
    const outage = this.#out.get(symbol);
    if (outage === undefined) return;
    this.#out.delete(symbol);
    const from = this.#answered.get(symbol)!;
    if (from === to) return;
    const { reason, polls } = outage;
    const same = this.#found.find((gap) => gap.to === to && gap.from === from && gap.reason === reason && gap.polls === polls);
    if (same === undefined) this.#found.push({ symbols: [symbol], from, to, reason, polls });
    else same.symbols.push(symbol);
  }
}
