import type { Fill } from '../model/fill.ts';
import type { Book } from './book.ts';

/**
 * Finds out, while one path through a bar is walked, whether another path of the same bar could have come to something
 * else. It rather says so too often than too seldom.
 *
 * - Both sides of the open reach something, or a stop trails by less than the bar's range: all that fills here hangs.
 * - What is reached after a fill hangs; so does what fills on the way back from what was reached without one, such as the
 *   trigger of a stop limit order.
 * - At the end something that was armed here still stands inside the bar: its price had been passed before.
 * - A fill has armed a stop that trails: how far it has come by the end is a matter of what came after the fill.
 */
export class PathWatch {
  /** What came of the bar hangs on its path, whatever its fills say. */
  hangs = false;
  #newestBefore: Fill | undefined;
  /** Which way the path went when it first reached something; `undefined` before. */
  #firstUp: boolean | undefined;

  /** @param matters what the open tells already. */
  begin(book: Book, matters: boolean): void {
    book.pathMatters = matters;
    this.hangs = matters;
    this.#newestBefore = book.newestFill;
    this.#firstUp = undefined;
  }

  /** The path comes to something, which is about to happen. */
  reach(book: Book, up: boolean): void {
    if (this.filled(book)) this.hangs = true;
    else if (this.#firstUp === !up) book.pathMatters = true;
    this.#firstUp ??= up;
  }

  /** Whether the path has reached anything in this bar. */
  get reached(): boolean {
    return this.#firstUp !== undefined;
  }

  /** Whether anything has filled inside this bar. */
  filled(book: Book): boolean {
    return book.newestFill !== this.#newestBefore;
  }
}
