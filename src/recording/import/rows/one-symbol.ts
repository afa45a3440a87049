/** Sees to it that the rows of an import are of one symbol, in the files' own words: that of `--only`, else that of the first row. */
export class OneSymbol {
  readonly #chosen: boolean;
  #text: string | undefined;
  #bytes: Buffer;

  /** @param only the symbol whose rows are taken; those of others are passed over. */
  constructor(only: string | undefined) {
    this.#chosen = only !== undefined;
    this.#text = only;
    this.#bytes = Buffer.from(only ?? '');
  }

  /** The symbol meant; empty before the first row. */
  get text(): string {
    return this.#text ?? '';
  }

  /** Where the symbol meant ends that stands at `at`; `at` where something else stands there. */
  endIn(bytes: Buffer, at: number): number {
    const own = this.#bytes;
    for (let place = 0; place < own.length; place++) if (bytes[at + place] !== own[place]) return at;
    return at + own.length;
  }

  judge(text: string): 'meant' | 'other' | 'refused' {
    if (this.#text === undefined) {
      this.#text = text;
      this.#bytes = Buffer.from(text);
    }
    if (text === this.#text) return 'meant';
    return this.#chosen ? 'other' : 'refused';
  }
}
