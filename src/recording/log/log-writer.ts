import { closeSync, fdatasync, fsyncSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder } from '../files.ts';
import { type LogRecord, logLine } from './log-record.ts';

/** Appends records to a new log. A record is written completely, by one call, or not at all. */
export class LogWriter {
  readonly #file: number;
  #end = 0;
  #syncing: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  /** @throws where the file exists already, or cannot be created. */
  constructor(readonly path: string) {
    this.#file = openSync(path, 'wx');
    syncFolder(dirname(path));
  }

  /** Bytes so far. */
  get bytes(): number {
    return this.#end;
  }

  /** @throws the system's error where the record cannot be written completely (a full disk): the log is then unchanged. */
  append(record: LogRecord): void {
    const line = logLine(record);
    try {
      const written = writeSync(this.#file, line, 0, line.length, this.#end);
      if (written < line.length) throw new Error(`${written} of ${line.length} bytes could be written: the disk is full`);
      this.#end += line.length;
    } catch (error) {
      this.#cutBack();
      throw error;
    }
  }

  /** Resolves once all appended records are on disk. Calls during a sync share the next one. */
  durable(): Promise<void> {
    if (this.#syncing === undefined) {
      this.#syncing = this.#sync().finally(() => {
        this.#syncing = undefined;
      });
      return this.#syncing;
    }
    this.#next ??= this.#syncing
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.durable();
      });
    return this.#next;
  }

  /** Makes all records durable, and closes the file. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#syncing, this.#next]);
    try {
      fsyncSync(this.#file);
    } finally {
      closeSync(this.#file);
    }
  }

  /** Removes the log. */
  discard(): void {
    closeSync(this.#file);
    rmSync(this.path, { force: true });
  }

  #sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      fdatasync(this.#file, (error) => (error === null ? resolve() : reject(error)));
    });
  }

  /** Where even this fails, the next record overwrites the rest, or a reader finds an incomplete record. */
  #cutBack(): void {
    try {
      ftruncateSync(this.#file, this.#end);
    } catch {}
  }
}
