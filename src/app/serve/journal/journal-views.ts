import { setImmediate as turn } from 'node:timers/promises';
import { revive } from '../../../journal/codec.ts';
import { RecordedJournal } from '../../../journal/journal-reader.ts';
import type { JournalValues } from '../../../journal/journal-record.ts';
import type { AccountEvent } from '../../../model/account-events.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { MarketEvent } from '../../../model/market-events.ts';
import { type EquitySeries, seriesOf } from './equity-series.ts';
import { RecordLists } from './record-lists.ts';

/** An answer waits for records so long, in ms; then it says that it is not whole. */
const PATIENCE_MS = 1_000;
/** A journal is looked at for new records this often, in ms. */
const EVERY_MS = 2_000;
/** The lists of a long journal come from its end first: so many records. */
const TAIL = 20_000;
/** Records between two turns of Node: other requests are answered meanwhile. */
const PIECE = 500;
/** The views of so many journals are kept: those that were asked for last. */
const MOST_VIEWS = 30;

/** How far a journal was read. */
export interface Reading {
  readonly time: number;
  readonly lastId: number;
  readonly isWhole: boolean;
  readonly trouble: string | null;
}

/** The journals that pages look at, each read once, whatever the number of pages. */
export class JournalViews {
  readonly #views = new Map<string, JournalView>();

  constructor(private readonly now: () => number) {}

  of(path: string): JournalView {
    const view = this.#views.get(path) ?? new JournalView(path, this.now);
    this.#views.delete(path);
    this.#views.set(path, view);
    if (this.#views.size > MOST_VIEWS) this.#views.delete(this.#views.keys().next().value!);
    return view;
  }
}

/**
 * The content of a journal, read while its bot runs, in pages of rows: no transaction stays open between two, so the bot's write-ahead log does
 * not grow. New records are read on from the last one.
 */
class JournalView {
  /** From the end of a long journal, until all of it was read. */
  #tail: RecordLists | undefined;
  #lists = new RecordLists();
  #series: EquitySeries | undefined;
  /** The number and the config of the newest start. */
  #runId = 0;
  #config: string | undefined;
  /** The first opening of the journal: another one is in its place if this changes. */
  #createdAt: number | undefined;
  #read = 0;
  #lastId = 0;
  #trouble: string | null = null;
  #seriesTrouble: string | null = null;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(
    private readonly path: string,
    private readonly now: () => number,
  ) {}

  /** The lists of the records up to now, or of the last ones while the first are still being read. */
  async lists(): Promise<{ readonly lists: RecordLists; readonly reading: Reading }> {
    await this.#advance();
    return { lists: this.#isWhole ? this.#lists : (this.#tail ?? this.#lists), reading: this.#state(this.#trouble) };
  }

  async series(): Promise<{ readonly series: EquitySeries | undefined; readonly reading: Reading }> {
    await this.#advance();
    return { series: this.#series, reading: this.#state(this.#trouble ?? this.#seriesTrouble) };
  }

  get #isWhole(): boolean {
    return this.#read >= this.#lastId;
  }

  #state(trouble: string | null): Reading {
    return {
      time: this.now(),
      lastId: this.#tail !== undefined && !this.#isWhole ? this.#lastId : this.#read,
      isWhole: this.#isWhole,
      trouble,
    };
  }

  async #advance(): Promise<void> {
    if (this.now() - this.#readAt >= EVERY_MS || this.now() < this.#readAt) {
      this.#reading ??= this.#readOn().finally(() => {
        this.#readAt = this.now();
        this.#reading = undefined;
      });
    }
    if (this.#reading !== undefined) await Promise.race([this.#reading, new Promise((done) => setTimeout(done, PATIENCE_MS).unref())]);
  }

  async #readOn(): Promise<void> {
    let journal: RecordedJournal | undefined;
    try {
      journal = RecordedJournal.open(this.path);
      this.#lastId = journal.lastId;
      if (this.#createdAt !== journal.createdAt || journal.lastId < this.#read) this.#restart(journal);
      if (this.#tail === undefined && journal.lastId > this.#read + TAIL) await this.#readTail(journal);
      await this.#readRows(journal);
      this.#trouble = null;
    } catch (error) {
      this.#trouble = (error as Error).message;
    } finally {
      journal?.close();
    }
  }

  #restart(journal: RecordedJournal): void {
    this.#createdAt = journal.createdAt;
    this.#read = 0;
    this.#lists = new RecordLists();
    this.#tail = undefined;
    this.#seriesTrouble = null;
    this.#series = undefined;
    // The newest config counts for all records, as at a start of the bot.
    const { id = 0, value: started } = journal.last('run') ?? {};
    this.#runId = id;
    this.#config = started?.config?.text;
    if (started === undefined) return;
    try {
      this.#series = seriesOf(started);
    } catch (error) {
      this.#seriesTrouble = (error as Error).message;
    }
  }

  #instruments(journal: RecordedJournal): ReadonlyMap<string, Instrument> {
    return new Map((this.#series?.instruments ?? journal.instruments()).map((one) => [one.symbol, one]));
  }

  async #readTail(journal: RecordedJournal): Promise<void> {
    const instruments = this.#instruments(journal);
    const tail = new RecordLists();
    let count = 0;
    for (const { id, kind, body } of journal.rows(journal.lastId - TAIL + 1)) {
      if (kind === 'event') tail.take(id, eventIn(body, instruments));
      if (++count % PIECE === 0) await turn();
    }
    this.#tail = tail;
  }

  async #readRows(journal: RecordedJournal): Promise<void> {
    const instruments = this.#instruments(journal);
    let count = 0;
    for (const { id, time, kind, body } of journal.rows(this.#read + 1)) {
      if (kind === 'run') {
        const { config } = revive(body, instruments) as JournalValues['run'];
        // A start since with another config: that one counts for all records.
        if (id > this.#runId && config?.text !== this.#config) {
          this.#restart(journal);
          return this.#readRows(journal);
        }
        this.#runId = Math.max(this.#runId, id);
      }
      if (kind === 'event') {
        const event = eventIn(body, instruments);
        this.#lists.take(id, event);
        this.#take(time, event);
      } else if (kind === 'market' && this.#series !== undefined) this.#take(time, revive(body, instruments) as MarketEvent);
      this.#read = id;
      if (++count % PIECE === 0) await turn();
    }
    this.#tail = undefined;
  }

  #take(time: number, event: MarketEvent | AccountEvent): void {
    if (this.#series === undefined || this.#seriesTrouble !== null) return;
    try {
      this.#series.take(time, event);
    } catch (error) {
      // The lists go on: an order that contradicts another is what one looks for.
      this.#seriesTrouble = `the equity cannot be computed any further: ${(error as Error).message}`;
    }
  }
}

function eventIn(body: string, instruments: ReadonlyMap<string, Instrument>): AccountEvent {
  return (revive(body, instruments) as { readonly event: AccountEvent }).event;
}
