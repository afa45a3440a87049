import { rmSync } from 'node:fs';
import type { BotFolder } from '../../planning/bot-folder.ts';
import { type FiledCommand, filedIn, textOf } from './filed-command.ts';

/** The files are read this often, in ms. */
const LOOK_MS = 1_000;

interface CommandOutlets {
  stop(why: string): void;
  /** @returns false if it cannot be stored: its file then stays. */
  reduce(reason: string, strategyId: string | undefined): boolean;
}

/** Watches the files `STOP` and `REDUCE`, obeys them, and removes them. A file without a command in it, as a person writes it, has the same effect. */
export class CommandFiles {
  readonly #timer: NodeJS.Timeout;
  /** Ids of commands that the bot has obeyed. */
  readonly #obeyed = new Set<string>();

  constructor(
    private readonly folder: Pick<BotFolder, 'stopFile' | 'reduceFile'>,
    private readonly outlets: CommandOutlets,
  ) {
    this.#timer = setInterval(() => this.look(), LOOK_MS);
  }

  /** Reads both files, and obeys. */
  look(): void {
    const { stopFile, reduceFile } = this.folder;
    const { stop, reduce } = this.outlets;
    this.#obey(reduceFile, (filed) => {
      if (filed?.command === 'reduce') return reduce(filed.reason, filed.strategy);
      return reduce(`the file ${reduceFile}`, undefined);
    });
    this.#obey(stopFile, (filed) => {
      stop(filed === undefined ? `the file ${stopFile}` : 'by command');
      return true;
    });
  }

  /** @returns whether the command is new. From now on it counts as obeyed. */
  isNew(id: string | undefined): boolean {
    if (id === undefined) return true;
    const isNew = !this.#obeyed.has(id);
    this.#obeyed.add(id);
    return isNew;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #obey(path: string, act: (filed: FiledCommand | undefined) => boolean): void {
    const text = textOf(path);
    if (text === undefined) return;
    for (const line of text === '' ? [''] : text.trimEnd().split('\n')) {
      const filed = filedIn(line);
      if (this.isNew(filed?.id) && !act(filed)) return;
    }
    // One that was written meanwhile stays.
    if (textOf(path) === text) rmSync(path, { force: true });
  }
}
