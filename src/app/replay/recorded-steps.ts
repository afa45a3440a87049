import { revive } from '../../journal/codec.ts';
import { journalDamaged } from '../../journal/journal-file.ts';
import type { JournalRow } from '../../journal/journal-reader.ts';
import { isOutside, type JournalRecord, type RecordKind, type TurnCause } from '../../journal/journal-record.ts';
import type { Instrument } from '../../model/instrument.ts';

/** A record with its text, which is compared with the replay's. */
export type RecordedRow<K extends RecordKind = RecordKind> = JournalRecord<K> & { readonly body: string };

/** The input and the actions of the engine in one turn; `begin`: during its construction, before its first turn. */
export interface RecordedTurn {
  readonly kind: 'begin' | 'turn';
  readonly id: number;
  /** The engine's clock, epoch ms. */
  readonly time: number;
  readonly cause: TurnCause;
  readonly rows: RecordedRow[];
}

/** A record between two turns. */
export interface RecordedBetween {
  readonly kind: 'between';
  readonly row: RecordedRow;
}

const BEGIN: TurnCause = { by: 'venue' };

/** The records of one run of a bot, turn by turn, from its `run` record on. */
export class RecordedSteps {
  #turn: RecordedTurn | undefined;
  /** Market events of the turn that are still to come. */
  #left = 0;

  constructor(
    private readonly path: string,
    private readonly instruments: ReadonlyMap<string, Instrument>,
  ) {}

  /** @param run the first of the rows. @throws TidegateError JOURNAL_DAMAGED, CONFIG_INVALID */
  *of({ id, time }: JournalRow, rows: Iterable<JournalRow>): Generator<RecordedTurn | RecordedBetween> {
    this.#turn = { kind: 'begin', id, time, cause: BEGIN, rows: [] };
    for (const row of rows) {
      const record = this.#revived(row);
      // The run has ended, perhaps in the middle of a turn.
      if (record.kind === 'note' && isOutside(record.value)) break;
      switch (record.kind) {
        case 'turn':
          yield* this.#over();
          this.#turn = { kind: 'turn', id: row.id, time: row.time, cause: record.value, rows: [] };
          this.#left = record.value.by === 'market' ? record.value.events : 0;
          break;
        case 'market':
          // The engine builds bars in the turn of another event.
          if (record.value.kind === 'bar') this.#inTurn(record);
          else if (this.#left > 0) {
            this.#left--;
            this.#inTurn(record);
          } else {
            yield* this.#over();
            this.#turn = { kind: 'turn', id: row.id, time: row.time, cause: { by: 'market', events: 1 }, rows: [record] };
          }
          break;
        case 'event':
        case 'intent':
          this.#inTurn(record);
          break;
        case 'history':
        case 'held':
        case 'save':
          if (this.#turn === undefined) yield { kind: 'between', row: record };
          else this.#turn.rows.push(record);
          break;
        default:
          yield* this.#over();
          yield { kind: 'between', row: record };
      }
    }
    yield* this.#over();
  }

  *#over(): Generator<RecordedTurn> {
    if (this.#turn !== undefined) yield this.#turn;
    this.#turn = undefined;
    this.#left = 0;
  }

  #inTurn(record: RecordedRow): void {
    if (this.#turn === undefined) throw journalDamaged(this.path, `record ${record.id} belongs to no turn`);
    this.#turn.rows.push(record);
  }

  #revived({ id, time, kind, body }: JournalRow): RecordedRow {
    return { id, time, kind, body, value: revive(body, this.instruments) } as RecordedRow;
  }
}
